package locale

import "regexp"

// limits holds Discord's maximum numbers of characters, by patterns of the ids of sentences. All other sentences have
// enough room, or are shortened elsewhere. Source: Discord's documentation, topics "Application Commands" and
// "Component Reference".
var limits = []struct {
	ids  *regexp.Regexp
	most int
}{
	{regexp.MustCompile(`^command\.menu\.`), 32},
	{regexp.MustCompile(`^command\.`), 100}, // descriptions and choices
	{regexp.MustCompile(`^bot\.(fault\.|settings\.dates-)(title|label)$`), 45},
	{regexp.MustCompile(`^bot\.(fault\.|settings\.dates-)help$`), 100},
	{regexp.MustCompile(`^bot\.(competition\.)?button\.|^bot\.step\.(play|back|restart)$|-button$|^computer\.level\.`), 80},
	{regexp.MustCompile(`\.word\.|\.label\.|^[^.]+\.option\.|^bot\.(theme|day)\.`), 100},
	{regexp.MustCompile(`\.ask\.|\.choose$`), 150},
}

// Most returns the maximum number of characters of the sentence of an id, not counting its arguments, if Discord would
// refuse a longer one. It returns 0 for all other sentences: they have enough room, or the bot shortens them.
func Most(id string) int {
	for _, l := range limits {
		if l.ids.MatchString(id) {
			return l.most
		}
	}
	return 0
}
