package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var drawRooms = flag.Bool("draw", false, "draw the picture of the rooms in docs/architecture.md anew")

// storeys are the boxes in the picture of the packages, each with a pattern for the packages that it stands for. A
// package belongs to the first box whose pattern matches. Packages without a match are not in the picture.
var storeys = []struct{ id, title, packages string }{
	{"program", "cmd/marque", `cmd/marque`},
	{"config", "config", `config`},
	{"wiring", "bot", `bot`},
	{"local", "localdiscord", `bot/localdiscord.*`},
	{"talk", "what people use: turn, lobby, seek, tournament, archive, …",
		`bot/(turn|lobby|seek|tournament|archive|league|predict|publish|settings|guide|learn|puzzles|study|web)`},
	{"boards", "private boards: stepper, practice", `bot/(stepper|practice)`},
	{"router", "interact, access", `bot/(interact|access)`},
	{"discord", "Discord: gateway, rest, webhook", `bot/(gateway|rest|webhook)`},
	{"show", "show, form", `bot/(show|form)`},
	{"guests", "compete, predictions, matchmaking, reviews, standings, …",
		`bot/(compete|predictions|matchmaking|reviews|standings|servers|privacy)`},
	{"table", "table", `bot/(table.*|background)`},
	{"shards", "shards", `bot/shards`},
	{"render", "render", `render`},
	{"storage", "storage", `storage`},
	{"kv", "kv: bolt, postgres", `storage/kv.*`},
	{"catalog", "the games there are", `games/(catalog|deck)`}, // and the games in the list of the catalog
	{"thinks", "computer, review, ledger, puzzle", `games/(computer|learned|review|ledger|puzzle)`},
	{"check", "verify, competition, rating", `games/(verify|competition|rating)`},
	{"games", "games", `games`},
	{"scene", "scene, text, fair", `games/(scene|text|fair).*`},
}

// The picture of the packages matches the imports. It has an arrow for each import between two boxes, unless other
// arrows already lead from one box to the other.
func TestThePictureOfTheRooms(t *testing.T) {
	t.Parallel()
	listed := slices.DeleteFunc(importsOf(t, "marque/games/catalog")[0], func(pkg string) bool {
		return pkg == "marque/games"
	})
	of := func(pkg string) int {
		name, ours := strings.CutPrefix(pkg, "marque/")
		if slices.Contains(listed, pkg) {
			name = "games/catalog"
		}
		return slices.IndexFunc(storeys, func(s struct{ id, title, packages string }) bool {
			return ours && regexp.MustCompile("^("+s.packages+")$").MatchString(name)
		})
	}
	reaches := make([][]bool, len(storeys))
	for i := range reaches {
		reaches[i] = make([]bool, len(storeys))
	}
	for _, fields := range importsOf(t, "marque/...") {
		from := of(fields[0])
		for _, imported := range fields[1:] {
			if to := of(imported); from >= 0 && to >= 0 && from != to {
				reaches[from][to] = true
			}
		}
	}
	far := make([][]bool, len(storeys)) // whether a box reaches another in any number of steps
	for i := range far {
		far[i] = slices.Clone(reaches[i])
	}
	for via := range far {
		for from := range far {
			for to := range far {
				far[from][to] = far[from][to] || far[from][via] && far[via][to]
			}
		}
	}
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TD\n")
	for _, s := range storeys {
		fmt.Fprintf(&b, "    %s[\"%s\"]\n", s.id, s.title)
	}
	for from, s := range storeys {
		if far[from][from] {
			t.Errorf("%s imports itself by way of others", s.title)
		}
		for to := range storeys {
			direct := reaches[from][to]
			for via := range storeys {
				direct = direct && !(reaches[from][via] && far[via][to])
			}
			if direct {
				fmt.Fprintf(&b, "    %s --> %s\n", s.id, storeys[to].id)
			}
		}
	}
	b.WriteString("```\n")
	path := filepath.Join("..", "..", "docs", "architecture.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	drawn := regexp.MustCompile("(?s)```mermaid\n.*?```\n")
	if *drawRooms {
		page = drawn.ReplaceAllLiteral(page, []byte(b.String()))
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(drawn.Find(page)); got != b.String() {
		t.Errorf("docs/architecture.md shows other rooms; go test ./cmd/marque -run PictureOfTheRooms -draw draws\n%s",
			b.String())
	}
}
