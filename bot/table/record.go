package table

import (
	"strconv"

	"marque/games"
)

// RecordFor returns the match's record as viewer may see it. Once the table is over, the record is complete and
// includes the seed. Before that, it has neither the seed nor the digest, which could confirm guesses of hidden cards,
// and cards that viewer may not know appear as unknown. It returns false for a table that never started.
func (s *Snapshot) RecordFor(viewer games.Seat) (games.Record, bool) {
	if s.match == nil {
		return games.Record{}, false
	}
	if s.Status == Over {
		return s.Record()
	}
	r := s.match.Record()
	r.Digest = ""
	r.Log = make([]games.Entry, s.match.Len())
	hidden := false
	for i, e := range s.match.Log() {
		r.Log[i] = e
		for _, step := range s.match.Trail(viewer, i, i+1) {
			r.Log[i].Text = games.Spell(step.Before, step.Move)
		}
		hidden = hidden || r.Log[i] != e
	}
	if hidden {
		r.Seen = games.SeenBySpectator
		if viewer >= 0 {
			r.Seen = strconv.Itoa(int(viewer))
		}
	}
	return r, true
}
