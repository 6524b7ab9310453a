package storage

import (
	"context"

	"marque/storage/kv"
)

// Study is a position in which a user tries out moves for all sides: in a game of theirs, or in one whose record they
// imported. A user has one at a time, or none, which is the zero Study.
type Study struct {
	Number  int      `json:"number"`           // tells it from the user's earlier ones; 0 for none
	Version int      `json:"version"`          // rises with each change
	Table   ID       `json:"table,omitempty"`  // whose game it is; 0 for an imported one
	Record  []byte   `json:"record,omitempty"` // the imported game's, compressed
	Kept    int      `json:"kept"`             // how many plays of that game the line begins with
	Line    []string `json:"line,omitempty"`   // the plays after them, in the notation of the rules
	At      int      `json:"at"`               // which position is shown: after so many plays of the line
	Seed    uint64   `json:"seed"`             // of the study's own dice and cards
	Begun   Stamp    `json:"begun"`
	Ends    Stamp    `json:"ends"` // unless it is used before
}

// studyEntries find a user by when their study ends.
func studyEntries(k key, s Study) []entry {
	return []entry{{studiesEnd, key{moment: max(1, s.Ends), user: k.user}, nil}}
}

// Study is a user's.
func (s *Store) Study(ctx context.Context, user string) (Study, error) {
	v, _, err := studies.get1(ctx, s, key{user: user})
	return v, err
}

// ChangeStudy stores a user's study as change returns it. change may be called more than once. ChangeStudy returns the
// error of change.
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

// StudiesEnded lists the users whose studies end until a moment, the first to end first.
func (s *Store) StudiesEnded(ctx context.Context, until Stamp, limit int) (users []string, err error) {
	return s.usersUntil(ctx, studiesEnd, until, limit)
}
