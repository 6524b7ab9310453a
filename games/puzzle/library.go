package puzzle

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"sync"
)

// Each file is named by its game's key.
//
//go:embed data/*.txt
var data embed.FS

// Library are the puzzles that come with the program, ordered by their games' keys. They must not be
// changed.
var Library = sync.OnceValue(func() []File {
	const folder = "data"
	files, err := data.ReadDir(folder)
	if err != nil {
		panic(fmt.Sprintf("puzzle: %v", err))
	}
	var all []File
	for _, entry := range files {
		name := path.Join(folder, entry.Name())
		text, err := data.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("puzzle: %v", err))
		}
		f, err := Decode(bytes.NewReader(text))
		if err != nil {
			panic(fmt.Sprintf("puzzle: %s: %v", name, err))
		}
		all = append(all, f)
	}
	return all
})

// Of are the puzzles of a game; false when it has none.
func Of(game string) (File, bool) {
	for _, f := range Library() {
		if f.Game == game && len(f.Puzzles) > 0 {
			return f, true
		}
	}
	return File{}, false
}

// Ref names a puzzle of the library: the game's key, and its number in the file, from 1.
type Ref struct {
	Game   string
	Number int
}

// Find is the puzzle that a ref names, with its file; false when there is none.
func (r Ref) Find() (Puzzle, File, bool) {
	f, ok := Of(r.Game)
	if !ok || r.Number < 1 || r.Number > len(f.Puzzles) {
		return Puzzle{}, File{}, false
	}
	return f.Puzzles[r.Number-1], f, true
}

// stride is a prime number greater than the number of puzzles of any game. So steps of this size visit each puzzle once
// before they repeat one.
const stride = 7919

// Daily returns the puzzle of a day; days may be counted from any day. The games take turns. No puzzle occurs again
// before all others of its game.
func Daily(day int) Ref {
	all := Library()
	mod := func(a, n int) int { return (a%n + n) % n }
	f := all[mod(day, len(all))]
	round := (day - mod(day, len(all))) / len(all)
	return Ref{f.Game, mod(mod(round, len(f.Puzzles))*stride, len(f.Puzzles)) + 1}
}

// Coming returns the puzzles of the days after a day, in order.
func Coming(day, days int) []Ref {
	list := make([]Ref, days)
	for i := range list {
		list[i] = Daily(day + 1 + i)
	}
	return list
}
