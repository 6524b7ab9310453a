package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marque/games/catalog"
	"marque/games/text/locale"
)

var (
	// markdownLink matches a link or picture in a document that refers to a file or heading of the project.
	markdownLink = regexp.MustCompile(`\]\(([^)\s:#]*)(?:#([^)\s]+))?\)`)
	// heading matches a heading of a document. anchorDrops matches the characters that the heading's anchor leaves out.
	heading     = regexp.MustCompile(`(?m)^#+ (.+)$`)
	anchorDrops = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link in a document that refers to the project leads to one of its files, and to a heading in that file if it
// names one.
func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	root, checked := filepath.Join("..", ".."), 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "games/*/*.md", ".github/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(files))
		}
		for _, file := range files {
			file = strings.TrimPrefix(file, root+string(filepath.Separator))
			for _, m := range markdownLink.FindAllStringSubmatch(projectFile(t, file), -1) {
				target := file
				if m[1] != "" {
					target = filepath.Join(filepath.Dir(file), m[1])
				}
				checked++
				if _, err := os.Stat(filepath.Join(root, target)); err != nil {
					t.Errorf("%s links to %s, which is not there", file, m[1])
				} else if m[2] != "" && !hasHeading(projectFile(t, target), m[2]) {
					t.Errorf("%s links to %s#%s, which has no such heading", file, m[1], m[2])
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// hasHeading reports whether a document has a heading with this anchor. GitHub makes anchors with lower-case letters,
// without punctuation, and with hyphens for spaces.
func hasHeading(document, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(document, -1) {
		if strings.ReplaceAll(strings.ToLower(anchorDrops.ReplaceAllString(m[1], "")), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// Every test that docs/discord.md and docs/stability.md name exists. Each row of their tables names at least one.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(b), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for page, least := range map[string]int{"discord.md": 100, "stability.md": 12} {
		rows := 0
		for line := range strings.Lines(projectFile(t, "docs", page)) {
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") ||
				strings.HasPrefix(line, "| Discord |") || strings.HasPrefix(line, "| what |") {
				continue
			}
			rows++
			named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(line, -1)
			if len(named) == 0 {
				t.Errorf("%s: no test shows this: %s", page, line)
			}
			for _, m := range named {
				if !there[m[1]] {
					t.Errorf("%s: %s is no test: %s", page, m[1], line)
				}
			}
		}
		t.Logf("%s: %d rows", page, rows)
		if rows < least {
			t.Errorf("%s has %d rows, want at least %d", page, rows, least)
		}
	}
}

// The tables of games in the README files and in the glossary have a row for each game, with its name and, if the table
// has that column, its numbers of players.
func TestEveryTableOfTheGamesHasAllOfThem(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for page, language := range map[string]string{"README.md": "en", "README.de.md": "de", "docs/rules/README.md": "en",
		"docs/glossary.md": "de"} {
		text := strings.ReplaceAll(projectFile(t, page), "–", "-")
		for _, g := range catalog.Games {
			row := `(?m)^\|.* ` + regexp.QuoteMeta(sentences.Speaker(nil, language).Plain().Say(g.Info().Name)) + `.* \| `
			if least, most := g.Seats(); page == "docs/glossary.md" {
				row += "`" + g.Key() + "`"
			} else if row += strconv.Itoa(least); most > least {
				row += "-" + strconv.Itoa(most)
			}
			if !regexp.MustCompile(row + ` \|`).MatchString(text) {
				t.Errorf("%s has no row of %s: nothing there is like %s", page, g.Key(), row)
			}
		}
	}
}
