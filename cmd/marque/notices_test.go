package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write THIRD_PARTY_NOTICES again")

// freetypeCredit is the text that the FreeType licence requires programs to include. Its year is the year of the Go
// port.
const freetypeCredit = "Portions of this software are copyright © 2010 The FreeType Project (www.freetype.org). All rights reserved."

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(md|txt))?$`)
	// licencesOf lists the licence files of modules that keep them in unusual places or offer a choice of licences.
	licencesOf = map[string][]string{"github.com/golang/freetype": {"LICENSE", "licenses/ftl.txt"}}
)

// linked returns the path, version and folder of each module that is in the binary on Linux, macOS or Windows.
func linked(t *testing.T) [][3]string {
	t.Helper()
	var mods [][3]string
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "marque/cmd/marque")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, errs.String())
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) == 3 && !seen[f[0]] {
				seen[f[0]] = true
				mods = append(mods, [3]string(f))
			}
		}
	}
	slices.SortFunc(mods, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
	return mods
}

// notices returns the text of THIRD_PARTY_NOTICES for the linked modules and fonts.
func notices(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b,
		"marque is under the licence in the file LICENSE. Its binary holds the software and fonts below, which have licences of their own.\n\n%s\n", freetypeCredit)
	part := func(title string, files ...string) {
		fmt.Fprintf(&b, "\n%s\n%s\n", strings.Repeat("=", 80), title)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s\n\n", strings.Repeat("-", 80))
			for line := range strings.Lines(strings.Trim(string(text), "\r\n\f")) {
				b.WriteString(strings.TrimRight(line, " \t\r\n\f") + "\n")
			}
		}
	}
	for _, m := range linked(t) {
		path, version, dir := m[0], m[1], m[2]
		var files []string
		for _, name := range licencesOf[path] {
			files = append(files, filepath.Join(dir, name))
		}
		if files == nil {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if licenceFile.MatchString(e.Name()) {
					files = append(files, filepath.Join(dir, e.Name()))
				}
			}
		}
		if files == nil {
			t.Errorf("%s %s has no licence file", path, version)
		}
		part(path+" "+version, files...)
		if path == "golang.org/x/text" {
			part("The Go standard library and runtime, (c) The Go Authors, are under the licence of golang.org/x/text above.")
		}
	}
	fonts, err := filepath.Glob(filepath.Join("..", "..", "render", "font", "*.ttf"))
	if err != nil || len(fonts) == 0 {
		t.Fatalf("fonts: %v, %v", fonts, err)
	}
	licences, err := filepath.Glob(filepath.Join("..", "..", "render", "font", "*-LICENSE.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, font := range fonts {
		name := filepath.Base(font)
		covered := false
		for _, l := range licences {
			if strings.HasPrefix(name, strings.TrimSuffix(filepath.Base(l), "-LICENSE.txt")) ||
				strings.HasPrefix(filepath.Base(l), strings.TrimSuffix(name, filepath.Ext(name))) {
				part("font "+name, l)
				covered = true
			}
		}
		if !covered {
			t.Errorf("no licence beside the font %s", name)
		}
	}
	return b.String()
}

// THIRD_PARTY_NOTICES names exactly the modules and fonts in the binary, with their licences.
func TestNoticesNameWhatIsLinked(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "THIRD_PARTY_NOTICES")
	want := notices(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, wanted := strings.Split(string(b), "\n"), strings.Split(want, "\n")
	for i := range max(len(have), len(wanted)) {
		h, w := "", ""
		if i < len(have) {
			h = have[i]
		}
		if i < len(wanted) {
			w = wanted[i]
		}
		if h != w {
			t.Fatalf("line %d of THIRD_PARTY_NOTICES is %q, should be %q; run go test ./cmd/marque -run Notices -update", i+1, h, w)
		}
	}
}
