package locale

import "regexp"

// limits are the most characters that Discord takes in some places, by the ids of the sentences shown there.
// Sentences that no pattern names have room enough, or are shortened elsewhere.
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

// Most is how many characters Discord takes of the sentence of an id, without its arguments; 0 when only the
// message around it bounds it.
func Most(id string) int {
	for _, l := range limits {
		if l.ids.MatchString(id) {
			return l.most
		}
	}
	return 0
}
