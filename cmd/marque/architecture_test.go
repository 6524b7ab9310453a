package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed lists the project's packages that each of these packages may import. allowedBelow has the rules for all
// others.
var allowed = map[string][]string{
	"marque/games/text":               {},
	"marque/games/text/locale":        {"marque/games/text"},
	"marque/games/scene":              {"marque/games/text"},
	"marque/render":                   {"marque/games/text", "marque/games/scene"},
	"marque/games/fair":               {},
	"marque/games/deck":               {"marque/games/text", "marque/games/scene", "marque/games"},
	"marque/games":                    {"marque/games/text", "marque/games/scene", "marque/games/fair"},
	"marque/config":                   {},
	"marque/bot/timesource":           {},
	"marque/bot/timesource/manual":    {},
	"marque/bot/localdiscord/page":    {},
	"marque/bot/localdiscord/openapi": {},
	"marque/bot/localdiscord":         {"marque/bot/localdiscord/page", "marque/bot/timesource"},
}

// allowedBelow lists the allowed imports, as prefixes, for packages under a folder that are not in allowed.
var allowedBelow = []struct {
	folder string
	may    []string
}{
	{"marque/games/", []string{"marque/games"}},
	{"marque/storage", []string{"marque/storage", "marque/games"}},
	{"marque/bot/table", []string{"marque/games", "marque/storage", "marque/bot/table", "marque/bot/timesource",
		"marque/bot/keylock", "marque/bot/background", "marque/bot/choices"}},
	{"marque/bot", []string{"marque/bot", "marque/games", "marque/render", "marque/storage"}},
	{"marque/cmd", []string{"marque/"}},
	{"marque/deploy", nil},
}

// importsOf returns a list for each package that matches a pattern: the package, followed by its imports.
func importsOf(t *testing.T, pattern string) (list [][]string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", pattern).CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		list = append(list, strings.Fields(line))
	}
	return list
}

func TestArrowsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, fields := range importsOf(t, "marque/...") {
		pkg := fields[0]
		may, exact := allowed[pkg]
		if !exact {
			i := slices.IndexFunc(allowedBelow, func(r struct {
				folder string
				may    []string
			}) bool {
				return pkg == strings.TrimSuffix(r.folder, "/") || strings.HasPrefix(pkg,
					strings.TrimSuffix(r.folder, "/")+"/")
			})
			if i < 0 {
				t.Errorf("package %s is in no folder of the architecture", pkg)
				continue
			}
			may = allowedBelow[i].may
		}
		for _, imported := range fields[1:] {
			if !strings.HasPrefix(imported, "marque/") {
				continue
			}
			fits := slices.ContainsFunc(may, func(m string) bool {
				if exact {
					return imported == m
				}
				return imported == m || strings.HasPrefix(imported, strings.TrimSuffix(m, "/")+"/")
			})
			if !fits {
				t.Errorf("%s imports %s; it may import only %v", pkg, imported, may)
			}
		}
	}
}

// rooms are the packages of the bot in order: each imports only packages of this list that come before it.
var rooms = []string{
	"timesource", "timesource/manual", "keylock", "shards", "shards/shardstest", "background", "table/clock",
	"table/uptime", "table/conduct", "table/changes", "table/acts", "choices",
	"table", "standings", "servers", "privacy", "compete", "predictions", "reviews", "matchmaking",
	"incident", "form", "show", "rest", "webhook",
	"gateway", "access", "interact", "stepper", "practice", "learn", "puzzles", "study", "guide", "turn",
	"lobby", "league", "predict", "settings", "archive", "publish", "seek", "tournament", "web", "metrics",
}

// Packages of the bot import only packages that come before them in rooms. None of them imports the package bot, which
// connects them, or bottest. The packages of the local Discord are not checked here.
func TestRoomsStandUponEachOther(t *testing.T) {
	t.Parallel()
	const bot = "marque/bot/"
	for _, fields := range importsOf(t, bot+"...") {
		name := strings.TrimPrefix(fields[0], bot)
		if fields[0] == "marque/bot" || name == "bottest" || strings.HasPrefix(name, "localdiscord") {
			continue
		}
		at := slices.Index(rooms, name)
		if at < 0 {
			t.Errorf("%s has no place among the rooms", fields[0])
			continue
		}
		for _, imported := range fields[1:] {
			if imported == "marque/bot" || imported == "marque/bot/bottest" {
				t.Errorf("%s needs the wiring", fields[0])
			}
			if below, ok := strings.CutPrefix(imported, bot); ok && !slices.Contains(rooms[:at], below) {
				t.Errorf("%s imports %s, which stands above it", fields[0], imported)
			}
		}
	}
}

// The bot depends on no game, and no game depends on discordgo.
func TestOnlyTheCatalogKnowsTheGames(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "marque/bot").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	listed, err := exec.Command("go", "list", "-f", "{{join .Imports \" \"}}", "marque/games/catalog").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, listed)
	}
	own := append(strings.Fields(string(listed)), "marque/games/catalog", "marque/games/deck")
	for _, game := range own {
		if game != "marque/games" && slices.Contains(strings.Fields(string(out)), game) {
			t.Errorf("marque/bot depends on %s", game)
		}
	}
	if len(own) < 6 {
		t.Errorf("the catalogue's packages are %v: the test does not test", own)
	}
	out, err = exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "marque/games/catalog").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "discordgo") {
		t.Error("a game depends on discordgo")
	}
}

// The program marque does not contain package lab, which has the tools that make computer players.
func TestTheProgramHasNoLab(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "marque/cmd/marque").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if slices.Contains(strings.Fields(string(out)), "marque/games/lab") {
		t.Error("marque depends on marque/games/lab")
	}
}

// No program contains the manual clock, package bottest or package pagetest, which are for tests.
func TestNoShippedProgramHasWhatIsForTests(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "marque/cmd/...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for _, pkg := range []string{"marque/bot/timesource/manual", "marque/bot/bottest",
		"marque/bot/localdiscord/pagetest"} {
		if slices.Contains(strings.Fields(string(out)), pkg) {
			t.Errorf("a program depends on %s", pkg)
		}
	}
}

// declared parses the project's code without its tests, and returns the names of all declared functions, methods and
// types.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						names[s.Name.Name] = true
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// docs/architecture.md names every package of the bot, and every function and type that it names in the form
// package.Name exists.
func TestTheArchitectureIsAsItSays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range append(slices.Clone(rooms), "localdiscord", "bottest") {
		if !strings.Contains(string(page), filepath.Base(room)+" ") {
			t.Errorf("the page does not name %s", room)
		}
	}
	names := declared(t)
	for _, named := range regexp.MustCompile("`[a-z]+(\\.[A-Za-z]+)+`").FindAllString(string(page), -1) {
		parts := strings.Split(strings.Trim(named, "`"), ".")
		if last := parts[len(parts)-1]; !names[last] && last != "md" && last != "go" {
			t.Errorf("the page names %s, and there is no %s", named, last)
		}
	}
}

// Code that has a context logs with it, so that every log line about an interaction carries its incident.
func TestLinesOfTheLogHaveTheirContext(t *testing.T) {
	t.Parallel()
	withContext := map[string]bool{"Debug": true, "Info": true, "Warn": true, "Error": true}
	lines := 0
	err := filepath.WalkDir(filepath.Join("..", "..", "bot"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "localdiscord") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
				return slices.ContainsFunc(p.Names, func(n *ast.Ident) bool { return n.Name == "ctx" })
			}) {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				method, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := method.X.(*ast.SelectorExpr)
				if !ok || !strings.EqualFold(of.Sel.Name, "log") {
					return true
				}
				if lines++; withContext[method.Sel.Name] {
					t.Errorf("%s: %s without the context that is there: %sContext", files.Position(call.Pos()),
						method.Sel.Name, method.Sel.Name)
				}
				return true
			})
		}
		return nil
	})
	if err != nil || lines < 20 {
		t.Errorf("%d lines of the log were found (%v): the test does not test", lines, err)
	}
}
