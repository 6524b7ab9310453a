package storage

import (
	"context"

	"marque/storage/kv"
)

// Study is a position in which a user tries moves for all sides. It is from the game of a table or from an imported
// record. A user has at most one study; the zero Study stands for none.
type Study struct {
	Number  int      `json:"number"`           // distinguishes the study from earlier ones of the user; 0 for none
	Version int      `json:"version"`          // increases with each change
	Table   ID       `json:"table,omitempty"`  // table of the game; 0 for an imported game
	Record  []byte   `json:"record,omitempty"` // compressed record of an imported game
	Prefix  int      `json:"kept"`             // number of plays of the game that come before Line
	Line    []string `json:"line,omitempty"`   // further plays, in the notation of the rules
	At      int      `json:"at"`               // number of plays before the shown position, from the start of the game
	Seed    uint64   `json:"seed"`             // seed for dice and cards in the study
	Begun   Stamp    `json:"begun"`
	Ends    Stamp    `json:"ends"` // when the study expires if it is not used
}

// studyEntries lists a user by the moment at which the user's study expires.
func studyEntries(k key, s Study) []entry {
	return []entry{{studiesEnd, key{moment: max(1, s.Ends), user: k.user}, nil}}
}

// Study returns a user's study.
func (s *Store) Study(ctx context.Context, user string) (Study, error) {
	v, _, err := studies.get1(ctx, s, key{user: user})
	return v, err
}

// ChangeStudy replaces a user's study with the result of change, which may be called more than once. A result whose
// Number is 0 deletes the study. ChangeStudy returns the error of change.
func (s *Store) ChangeStudy(ctx context.Context, user string, change func(Study) (Study, error)) error {
	if err := CheckName(user); err != nil {
		return err
	}
	return studies.revise(ctx, s, key{user: user}, func(before Study) (Study, bool, error) {
		after, err := change(before)
		return after, after.Number != 0, err
	})
}

// Studies returns the number of users who have a study.
func (s *Store) Studies(ctx context.Context) (n int, err error) {
	err = s.view(ctx, func(r kv.Reader) (err error) {
		n, err = r.Count(kv.Range{Space: studies.space})
		return err
	})
	return n, err
}

// StudiesEnded lists up to limit users whose studies expire no later than until, earliest first.
func (s *Store) StudiesEnded(ctx context.Context, until Stamp, limit int) (users []string, err error) {
	return s.usersUntil(ctx, studiesEnd, until, limit)
}
