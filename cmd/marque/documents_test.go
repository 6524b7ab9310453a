package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// markdownLink is a link or a picture of a document that leads into the project: its file and its heading.
	markdownLink = regexp.MustCompile(`\]\(([^)\s:#]*)(?:#([^)\s]+))?\)`)
	// heading is a heading of a document; anchorDrops is what its anchor leaves out.
	heading     = regexp.MustCompile(`(?m)^#+ (.+)$`)
	anchorDrops = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link of a document leads to a file of the project, and to a heading of that file.
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

// hasHeading reports whether a document has a heading with this anchor, as GitHub makes them: small letters, no
// punctuation, hyphens for blanks.
func hasHeading(document, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(document, -1) {
		if strings.ReplaceAll(strings.ToLower(anchorDrops.ReplaceAllString(m[1], "")), " ", "-") == anchor {
			return true
		}
	}
	return false
}
