package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example/heap"
	"marque/games/text"
	"marque/games/text/locale"
)

// idForm matches the id of a message: an area, and names after dots.
var idForm = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9$-]+)+$`)

// files calls f for each file of the project's code, except tests.
func files(t *testing.T, f func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			f(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// calls passes each call of text.M with a literal id to f.
func calls(t *testing.T, f func(path, id string, call *ast.CallExpr)) {
	t.Helper()
	files(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, _ := n.(*ast.CallExpr)
			if call == nil || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if lit, literal := call.Args[0].(*ast.BasicLit); ok && literal && sel.Sel.Name == "M" {
				if id, err := strconv.Unquote(lit.Value); err == nil {
					f(path, id, call)
				}
			}
			return true
		})
	})
}

// sources returns the string literals in the project's code without tests, and the ids in calls of text.M, each with a
// file that has such a call.
func sources(t *testing.T) (literals map[string]bool, said map[string]string) {
	t.Helper()
	literals, said = map[string]bool{}, map[string]string{}
	files(t, func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if n, ok := n.(*ast.BasicLit); ok && n.Kind == token.STRING {
				if s, err := strconv.Unquote(n.Value); err == nil {
					literals[s] = true
				}
			}
			return true
		})
	})
	calls(t, func(path, id string, _ *ast.CallExpr) { said[id] = path })
	return literals, said
}

var (
	headOf = regexp.MustCompile(`(?m)^\["?([^"\]]+)"?\]$`)
	field  = regexp.MustCompile(`{{\.([A-Za-z]+)}}`)
)

// Every call of text.M that lists its arguments after a literal id passes every argument that the message names. A
// missing argument would appear as "<no value>".
func TestSentencesGetTheirArguments(t *testing.T) {
	t.Parallel()
	catalogues, err := filepath.Glob(filepath.Join("..", "..", "games", "text", "locale", "*.en.toml"))
	if err != nil || len(catalogues) == 0 {
		t.Fatalf("%v %v", catalogues, err)
	}
	wants := map[string]map[string]bool{} // arguments of each message, by id
	for _, file := range catalogues {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		heads := headOf.FindAllSubmatchIndex(content, -1)
		for i, at := range heads {
			end := len(content)
			if i+1 < len(heads) {
				end = heads[i+1][0]
			}
			names := map[string]bool{}
			for _, name := range field.FindAllSubmatch(content[at[1]:end], -1) {
				names[string(name[1])] = true
			}
			wants[string(content[at[2]:at[3]])] = names
		}
	}
	seen := 0
	calls(t, func(path string, id string, call *ast.CallExpr) {
		given := map[string]bool{}
		for i := 1; i < len(call.Args); i += 2 {
			name, ok := call.Args[i].(*ast.BasicLit)
			if !ok || call.Ellipsis.IsValid() {
				return // the call does not list its arguments
			}
			s, _ := strconv.Unquote(name.Value)
			given[s] = true
		}
		seen++
		for name := range wants[id] {
			if !given[name] {
				t.Errorf("%s says %q without the argument %s", path, id, name)
			}
		}
	})
	if seen < 1000 {
		t.Errorf("only %d calls were read", seen)
	}
}

// timeWords are words, by language, that must not come before a relative time. Discord writes such a time as "in 24
// hours" or "2 hours ago".
var timeWords = map[string]string{
	"en": "until|till|by|before|within|in|at|on|from|since|after|for",
	"de": "bis|zum|vor|innerhalb|in|um|am|ab|von|seit|nach|für",
}

// No message says "until in 24 hours" or similar, in English or in German.
func TestNoSentenceSaysUntilInADay(t *testing.T) {
	t.Parallel()
	said := map[string]map[string]string{} // all forms of a message, by language and id
	for lang := range timeWords {
		said[lang] = map[string]string{}
		catalogues, err := filepath.Glob(filepath.Join("..", "..", "games", "text", "locale", "*."+lang+".toml"))
		if err != nil || len(catalogues) == 0 {
			t.Fatalf("%v %v", catalogues, err)
		}
		for _, file := range catalogues {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := regexp.MustCompile(`(?m)^\["`).Split(string(content), -1)
			for _, part := range parts {
				id, forms, _ := strings.Cut(part, `"]`)
				said[lang][id] = forms
			}
		}
	}
	seen := 0
	check := func(path, id, argument string) {
		for lang, sentences := range said {
			named := "{{." + argument + "}}"
			if !strings.Contains(sentences[id], named) {
				continue
			}
			seen++
			at := regexp.MustCompile(`(?i)\b(` + timeWords[lang] + `) ` + regexp.QuoteMeta(named))
			if found := at.FindString(sentences[id]); found != "" {
				t.Errorf("%s gives %s of %q a relative moment, and %s says %q", path, argument, id, lang, found)
			}
		}
	}
	files(t, func(path string, file *ast.File) {
		for _, d := range file.Decls {
			relativeMoments(d, func(id, argument string) { check(path, id, argument) })
		}
	})
	t.Logf("%d sentences are given a relative moment", seen)
	if seen < 40 {
		t.Errorf("only %d sentences are given a relative moment", seen)
	}
}

// relativeMoments calls f for each argument of a message to which a declaration passes a relative time. If the
// message's id is not in the same call, f is called for each id in the declaration.
func relativeMoments(d ast.Decl, f func(id, argument string)) {
	var ids []string
	variables := map[string]bool{} // names of variables with a relative time
	relative := func(e ast.Expr) (yes bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				yes = yes || n.Sel.Name == "Relative"
			case *ast.CallExpr: // an inner message is examined separately
				sel, ok := n.Fun.(*ast.SelectorExpr)
				return !ok || sel.Sel.Name != "M"
			}
			return true
		})
		name, ok := e.(*ast.Ident)
		return yes || ok && variables[name.Name]
	}
	literal := func(e ast.Expr) string {
		lit, ok := e.(*ast.BasicLit)
		if !ok {
			return ""
		}
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if s := literal(n); idForm.MatchString(s) {
				ids = append(ids, s)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if name, ok := to.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && relative(n.Rhs[i]) {
					variables[name.Name] = true
				}
			}
		}
		return true
	})
	ast.Inspect(d, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			list = n.Args
		case *ast.CompositeLit:
			list = n.Elts
		}
		for i := 1; i < len(list); i++ {
			argument := literal(list[i-1])
			if argument == "" || !relative(list[i]) {
				continue
			}
			if id := literal(list[0]); idForm.MatchString(id) {
				f(id, argument)
				continue
			}
			for _, id := range ids {
				f(id, argument)
			}
		}
		return true
	})
}

// derived returns the ids of messages that code builds from keys, such as those of games.
func derived(t *testing.T) map[string]bool {
	ids := map[string]bool{}
	for _, g := range append([]games.Game{heap.Game}, catalog.Games...) { // the example game, too
		info := g.Info()
		ids[g.Key()+".name"] = true
		for _, m := range append([]text.Message{info.Name, info.Tagline, info.Credits}, info.Quick...) {
			ids[m.ID] = true
		}
		for _, s := range info.Rules {
			ids[s.Title.ID], ids[s.Body.ID] = true, true
		}
		for _, l := range games.Lessons(g) {
			for _, m := range []text.Message{l.Title(g), l.Task(g), l.Hint(g), l.Praise(g)} {
				ids[m.ID] = true
			}
			ids[g.Key()+".lesson."+l.Key+".miss"] = true
			for _, miss := range l.Misses {
				ids[g.Key()+".lesson."+l.Key+".miss-"+miss.Key] = true
			}
		}
		for id := range meanings(t, g) {
			ids[id] = true
		}
		for _, o := range g.Options() {
			ids[g.Key()+".option."+o.Key] = true
			for _, v := range o.Values {
				ids[g.Key()+".option."+o.Key+"."+v] = true
			}
		}
	}
	return ids
}

// meanings returns the ids of the messages that explain the signs on a board. It collects them from some random games
// of g, with every option and every number of players, as seen by a player and by spectators.
func meanings(t *testing.T, g games.Game) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	least, most := g.Seats()
	for game := range uint64(8) {
		seats := least + int(game)%(most-least+1)
		setup, err := games.NewSetup(g, seats)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range g.Options() {
			setup.Options[i].Value = o.Values[int(game)%len(o.Values)]
		}
		s, rng := g.New(setup), games.NewRand(game)
		var trail []games.Step
		look := func() {
			for _, v := range []games.Seat{games.Spectator, 0} {
				var seen []games.Step
				for _, st := range trail[max(0, len(trail)-4):] {
					seen = append(seen, games.Step{Before: games.Mask(st.Before, v), Seat: st.Seat,
						Move: games.MaskMove(st.Before, st.Move, v)})
				}
				sc := games.Mask(s, v).Scene(v, seen)
				for _, sign := range sc.Signs() {
					ids[games.Meaning(g, sign).ID] = true
				}
			}
		}
		for s.ToMove() != games.Nobody && len(trail) < 1500 {
			var m games.Move
			if outs := s.Outcomes(); outs != nil {
				m = outs[rng.IntN(len(outs))].Move
			} else {
				look()
				moves := s.Moves()
				m = moves[rng.IntN(len(moves))]
			}
			trail = append(trail, games.Step{Before: s, Seat: s.ToMove(), Move: m})
			s = s.Apply(m)
		}
		look()
		if w, ok := s.(games.Withdrawer); ok && s.ToMove() != games.Nobody {
			s = w.Withdraw(0)
			look()
		}
	}
	return ids
}

func TestEverySentenceIsSaidAndEveryIDHasOne(t *testing.T) {
	t.Parallel()
	list, err := locale.IDs()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, id := range list {
		have[id] = true
	}
	literals, said := sources(t)
	built := derived(t)
	for id, path := range said {
		if idForm.MatchString(id) && !have[id] {
			t.Errorf("%s says %q, which has no sentence", path, id)
		}
	}
	for id := range built {
		if !have[id] {
			t.Errorf("%q has no sentence", id)
		}
	}
	// All literals are searched, not only the arguments of text.M, because ids also pass through variables and tables.
	areas := map[string]bool{}
	for _, id := range list {
		area, _, _ := strings.Cut(id, ".")
		areas[area] = true
	}
	for literal := range literals {
		area, _, _ := strings.Cut(literal, ".")
		begins := func(id string) bool {
			return strings.HasPrefix(id, literal) && strings.ContainsAny(id[len(literal)-1:][:2], ".-")
		}
		if areas[area] && filepath.Ext(literal) != ".png" && idForm.MatchString(literal) && !have[literal] &&
			!slices.ContainsFunc(list, begins) {
			t.Errorf("%q looks like the id of a sentence, and there is none", literal)
		}
	}
	for _, id := range list {
		if literals[id] || built[id] {
			continue
		}
		if strings.HasPrefix(id, "command.") && commandWord(id, literals) {
			continue
		}
		if i := strings.LastIndexByte(id, '.'); id[:i] != "key" && literals[id[:i+1]] || literals[id[:i]] ||
			literals[id[:i+1]+"%d"] {
			continue // its id is built from a literal prefix and a key
		}
		if i := strings.LastIndexByte(id, '-'); i >= 0 && (literals[id[:i+1]] || literals[id[:i]] && literals[id[i:]]) {
			continue // its id is built from a prefix or another id, and a suffix such as "-help"
		}
		t.Errorf("the sentence %q is said nowhere", id)
	}
}

// commandWord reports whether the name in "command.NAME.description" or "command.option.NAME.description" is in the
// code. NAME has dots where the command's name has spaces. It can also be the beginning of a command's name, which
// several commands share.
func commandWord(id string, literals map[string]bool) bool {
	parts := strings.Split(strings.TrimPrefix(id, "command."), ".")
	if parts[0] == "option" && len(parts) > 1 {
		return literals[parts[1]]
	}
	name := strings.Join(parts[:len(parts)-1], " ")
	// Some commands are declared with their common beginning and a list of last words.
	if i := strings.LastIndexByte(name, ' '); i >= 0 && literals[name[:i+1]] && literals[name[i+1:]] {
		return true
	}
	for literal := range literals {
		if literal == name || strings.HasPrefix(literal, name+" ") {
			return true
		}
	}
	return false
}
