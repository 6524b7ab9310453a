package storage

import (
	"context"

	"marque/storage/kv"
)

// Study is a position in which a user tries moves for all sides, from one of their games or from an imported record. A
// user has at most one; the zero Study stands for none.
type Study struct {
	Number  int      `json:"number"`           // distinguishes the study from the user's earlier ones; 0 for none
	Version int      `json:"version"`          // increases with each change
	Table   ID       `json:"table,omitempty"`  // table of the game; 0 for an imported one
	Record  []byte   `json:"record,omitempty"` // record of the imported game, compressed
	Prefix  int      `json:"kept"`             // number of the game's plays at the beginning of the line
	Line    []string `json:"line,omitempty"`   // plays after them, in the notation of the rules
	At      int      `json:"at"`               // number of plays of the line before the shown position
	Seed    uint64   `json:"seed"`             // seed of the study's dice and cards
	Begun   Stamp    `json:"begun"`
	Ends    Stamp    `json:"ends"` // when the study expires unless it is used
}

// studyEntries lists a user by the end of their study.
func studyEntries(k key, s Study) []entry {
	return []entry{{studiesEnd, key{moment: max(1, s.Ends), user: k.user}, nil}}
}

// Study returns a user's study.
func (s *Store) Study(ctx context.Context, user string) (Study, error) {
	v, _, err := studies.get1(ctx, s, key{user: user})
	return v, err
}

// ChangeStudy replaces a user's study with the result of change. change may be called more than once. ChangeStudy
// returns the error of change.
func (s *Store) ChangeStudy(ctx context.Context, user string, change func(Study) (Study, error)) error {
	if err := CheckName(user); err != nil {
		return err
	}
	return studies.revise(ctx, s, key{user: user}, func(before Study) (Study, bool, error) {
		after, err := change(before)
		return after, after.Number != 0, err
	})
}

// Studies counts the studies of all users.
func (s *Store) Studies(ctx context.Context) (n int, err error) {
	err = s.view(ctx, func(r kv.Reader) (err error) {
		n, err = r.Count(kv.Range{Space: studies.space})
		return err
	})
	return n, err
}

// StudiesEnded lists up to limit users whose studies end at or before until, earliest first.
func (s *Store) StudiesEnded(ctx context.Context, until Stamp, limit int) (users []string, err error) {
	return s.usersUntil(ctx, studiesEnd, until, limit)
}
