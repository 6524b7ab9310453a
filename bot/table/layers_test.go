package table

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the files of this package from the top down. A file may use only the files below it. A new file is
// inserted just above all the files that it uses.
var layers = strings.Fields(`
	matches seats hints opening computerseats commands arrange away rooms numbers
	table share
	sweep aftercommit thread republish lookup upkeep work thinking outbox
	tables
	finish schedule plans depart proposals seating moderate undo powers play queue endings computerpool
	scenes record draws conditions cache config store unpublished gate card
	draft hooks snapshot computers errors names ownership
`)

func TestFilesUseOnlyLowerLayers(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if name := strings.TrimSuffix(path, ".go"); !slices.Contains(layers, name) {
			t.Errorf("%s is in no layer", path)
		}
		files = append(files, file)
	}
	if len(files) != len(layers) {
		t.Errorf("%d files, %d in layers", len(files), len(layers))
	}
	uses := map[*ast.Ident]types.Object{}
	// Errors about other packages do not matter, because the check needs only this package's own names.
	check := types.Config{Importer: emptyPackages{}, Error: func(error) {}}
	pkg, _ := check.Check("marque/bot/table", fset, files, &types.Info{Uses: uses})
	if len(uses) < 5000 {
		t.Fatalf("only %d names are found", len(uses))
	}
	layer := func(at token.Pos) (string, int) {
		name := strings.TrimSuffix(filepath.Base(fset.Position(at).Filename), ".go")
		return name, slices.Index(layers, name)
	}
	for id, used := range uses {
		if used.Pkg() != pkg {
			continue
		}
		_, high := layer(id.Pos())
		to, low := layer(used.Pos())
		if low < high {
			t.Errorf("%s uses %s, which is in %s.go, a layer above", fset.Position(id.Pos()), used.Name(), to)
		}
	}
}

// emptyPackages imports every package as an empty one.
type emptyPackages struct{}

func (emptyPackages) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
