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

// Library returns the built-in puzzles, ordered by their games' keys. The caller must not change them.
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

// Of returns the puzzles of a game, or false if it has none.
func Of(game string) (File, bool) {
	for _, f := range Library() {
		if f.Game == game && len(f.Puzzles) > 0 {
			return f, true
		}
	}
	return File{}, false
}

// Ref identifies a puzzle of the library by its game's key and its number in the file, from 1.
type Ref struct {
	Game   string
	Number int
}

// Find returns the puzzle and its file, or false if the library does not contain the puzzle.
func (r Ref) Find() (Puzzle, File, bool) {
	f, ok := Of(r.Game)
	if !ok || r.Number < 1 || r.Number > len(f.Puzzles) {
		return Puzzle{}, File{}, false
	}
	return f.Puzzles[r.Number-1], f, true
}

// stride is a prime number greater than the number of puzzles of any game, so steps of this size visit each puzzle once
// before any puzzle repeats.
const stride = 7919

// Daily returns the puzzle of a day, which can be counted from any date. The games take turns. No puzzle repeats before
// all other puzzles of its game.
func Daily(day int) Ref {
	all := Library()
	mod := func(a, n int) int { return (a%n + n) % n }
	f := all[mod(day, len(all))]
	round := (day - mod(day, len(all))) / len(all)
	return Ref{f.Game, mod(mod(round, len(f.Puzzles))*stride, len(f.Puzzles)) + 1}
}

// Coming returns the puzzles of the given number of days after a day, in order.
func Coming(day, days int) []Ref {
	list := make([]Ref, days)
	for i := range list {
		list[i] = Daily(day + 1 + i)
	}
	return list
}
