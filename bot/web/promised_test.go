package web

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var promise = flag.Bool("promise", false, "write testdata/promised.txt anew: before a release, for what it adds")

// fields returns the names of a type's fields in the page's protocol, including nested ones.
func fields(path string, of reflect.Type) (list []string) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fields(path, of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			f := of.Field(i)
			at := path
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				at += " " + name
				list = append(list, at)
			}
			list = append(list, fields(at, f.Type)...)
		}
	}
	return list
}

// routes returns the routes of the page's server, except those of the document and of preflight requests.
func routes(t *testing.T) (list []string) {
	t.Helper()
	source, err := os.ReadFile("server.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`HandleFunc\("((?:GET|POST) /[a-z/]+)"`).FindAllStringSubmatch(string(source), -1) {
		list = append(list, "route "+m[1])
	}
	if len(list) == 0 {
		t.Fatal("server.go has no routes")
	}
	return list
}

// The routes of the page's protocol, and the fields of its requests and answers, keep their names (docs/stability.md).
// Each field is documented in docs/web.md.
func TestPromisedFieldsStay(t *testing.T) {
	t.Parallel()
	have := slices.Concat(routes(t),
		fields("request", reflect.TypeFor[ask]()), fields("answer", reflect.TypeFor[answer]()),
		fields("live request", reflect.TypeFor[listens]()), fields("live answer", reflect.TypeFor[changed]()))
	path := filepath.Join("testdata", "promised.txt")
	if *promise {
		if err := os.WriteFile(path, []byte(strings.Join(have, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	promised, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(promised)) {
		if line = strings.TrimSpace(line); !slices.Contains(have, line) {
			t.Errorf("%q was promised and is not there any more", line)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "web.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range have {
		if strings.HasPrefix(f, "route ") {
			continue
		}
		name := f[strings.LastIndex(f, " ")+1:]
		if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), `"`+name+`"`) {
			t.Errorf("docs/web.md says nothing of %q", f)
		}
	}
}
