package scene

// TextWidth is the maximum number of columns of a text board. A phone shows 40 characters in a line.
const TextWidth = 40

// TextLines joins words with spaces into lines that fit a text board. Lines after the first are indented.
func TextLines(words []string) []string {
	var lines []string
	for i, w := range words {
		switch last := len(lines) - 1; {
		case i == 0:
			lines = append(lines, w)
		case len(lines[last])+1+len(w) > TextWidth:
			lines = append(lines, "  "+w)
		default:
			lines[last] += " " + w
		}
	}
	return lines
}
