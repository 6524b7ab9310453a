package storage

import (
	"encoding/json"
	"math"
	"slices"
)

// Score counts the puzzles of the day that a user solved on a server in a month. It is part of what the user's settings say:
// {"puzzles": {"months": [scores]}}.
type Score struct {
	Server string `json:"server"`
	Month  string `json:"month"` // "2026-11"
	Solved int    `json:"solved"`
	First  int    `json:"first,omitempty"` // of them those in which they never missed
}

// Scored is a user's line of a server's table of a month.
type Scored struct {
	User string
	Score
}

// ScorePage is the beginning of such a table.
type ScorePage struct {
	Lines []Scored
	Total int // users in the table
}

// ScoresIn are the scores that a user's settings say, as JSON: of those of one server and month the first. What is none, or counts nothing, is
// left out.
func ScoresIn(settings []byte) []Score {
	var v struct {
		Puzzles struct {
			Months []Score `json:"months"`
		} `json:"puzzles"`
	}
	if err := json.Unmarshal(settings, &v); err != nil {
		return nil
	}
	var list []Score
	for _, s := range v.Puzzles.Months {
		known := slices.ContainsFunc(list, func(o Score) bool { return o.Server == s.Server && o.Month == s.Month })
		if known || s.Server == "" || s.Month == "" || CheckName(s.Server) != nil || CheckName(s.Month) != nil ||
			s.Solved < 1 || s.Solved > math.MaxInt32 || s.First < 0 || s.First > s.Solved {
			continue
		}
		list = append(list, s)
	}
	return list
}
