package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// ruleHeading matches the beginning of a rule in docs/rules: its id in bold.
	ruleHeading = regexp.MustCompile(`\*\*([A-Z]{2}-E?\d+)\*\*`)
	// ruleCite matches a rule's id in code, possibly with the letter of one of its parts. In the name of a test the id
	// has no hyphen.
	ruleCite = regexp.MustCompile(`\b([A-Z]{2}-E?\d+)([a-z]?)\b|\bfunc Test([A-Z]{2})(E?\d+)([a-z]?)`)
	// ruleLink matches a rule's id in the text of another rule.
	ruleLink = regexp.MustCompile(`\b[A-Z]{2}-E?\d+\b`)
)

// rules reads docs/rules and returns the text of every rule by its id.
func rules(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "rules", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/rules: %v, %d files", err, len(files))
	}
	texts := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := ruleHeading.FindAllStringSubmatchIndex(string(b), -1)
		for i, m := range at {
			id, end := string(b[m[2]:m[3]]), len(b)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			if _, twice := texts[id]; twice {
				t.Errorf("%s: %s is there twice", file, id)
			}
			texts[id] = string(b[m[1]:end])
		}
	}
	return texts
}

// cites returns the rule ids that the project's code and tests cite, each with one of the files that cite it.
func cites(t *testing.T) (code, tests map[string]string) {
	t.Helper()
	code, tests = map[string]string{}, map[string]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := code
		if strings.HasSuffix(path, "_test.go") {
			found = tests
		}
		for _, m := range ruleCite.FindAllStringSubmatch(string(b), -1) {
			id := m[1] + m[2]
			if id == "" {
				id = m[3] + "-" + m[4] + m[5]
			}
			found[id] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return code, tests
}

// whole returns a rule's id without the letter of a part.
func whole(id string) string { return strings.TrimRight(id, "abcdefgh") }

func TestRulesAreCitedAndCitesAreRules(t *testing.T) {
	t.Parallel()
	texts := rules(t)
	code, tests := cites(t)
	t.Logf("%d rules and examples, cited by %d ids in code and %d in tests", len(texts), len(code), len(tests))
	for _, found := range []map[string]string{code, tests} {
		for _, id := range slices.Sorted(maps.Keys(found)) {
			text, ok := texts[whole(id)]
			if !ok {
				t.Errorf("%s names %s, which is not in docs/rules", found[id], id)
			} else if part := strings.TrimPrefix(id, whole(id)); part != "" && !strings.Contains(text, "("+part+")") {
				t.Errorf("%s names %s, but %s has no part (%s)", found[id], id, whole(id), part)
			}
		}
	}
	byWhole := func(found map[string]string) map[string]bool {
		ids := map[string]bool{}
		for id := range found {
			ids[whole(id)] = true
		}
		return ids
	}
	inCode, inTests := byWhole(code), byWhole(tests)
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		example := strings.Contains(id, "-E")
		if !inCode[id] && !example { // an example need be cited only by a test
			t.Errorf("no code names the rule %s", id)
		}
		if !inTests[id] {
			t.Errorf("no test names the rule %s", id)
		}
		for _, link := range ruleLink.FindAllString(texts[id], -1) {
			if _, ok := texts[link]; !ok {
				t.Errorf("%s speaks of %s, which is not in docs/rules", id, link)
			}
		}
	}
}
