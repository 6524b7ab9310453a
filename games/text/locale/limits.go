package locale

import "regexp"

// limits are how many characters Discord takes of what is shown in some of its places, by the ids of what is
// said there. What no pattern names has room enough, or is shortened for reasons of its own.
// Source: Discord's documentation, topics "Application Commands" and "Component Reference".
var limits = []struct {
	ids  *regexp.Regexp
	most int
}{
	{regexp.MustCompile(`^command\.menu\.`), 32},
	{regexp.MustCompile(`^command\.`), 100}, // descriptions and choices
	{regexp.MustCompile(`^bot\.(fault\.|settings\.dates-)(title|label)$`), 45},
	{regexp.MustCompile(`^bot\.(fault\.|settings\.dates-)help$`), 100},
	{regexp.MustCompile(`^bot\.(cup\.)?button\.|^bot\.step\.(play|back|restart)$|-button$|^computer\.level\.`), 80},
	{regexp.MustCompile(`\.word\.|\.label\.|^[^.]+\.option\.|^bot\.(theme|day)\.`), 100},
	{regexp.MustCompile(`\.ask\.|\.choose$`), 150},
}

// Most is how many characters Discord takes of the sentence of an id, its arguments apart; 0 when that is
// bounded by nothing but the message that it is in.
func Most(id string) int {
	for _, l := range limits {
		if l.ids.MatchString(id) {
			return l.most
		}
	}
	return 0
}
