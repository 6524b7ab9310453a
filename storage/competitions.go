package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage/kv"
)

// Competition is a tournament, a league or a ladder on a server.
type Competition struct {
	Server  string    `json:"-"`
	Number  uint64    `json:"-"`            // unique on its server, from 1
	Version uint64    `json:"v"`            // increases by one with every change; 1 for a new competition
	Changed Stamp     `json:"c"`            // when it last changed
	Drawn   uint64    `json:"dr,omitempty"` // last version that changed the content of the card
	Keys    []string  `json:"k,omitempty"`  // keys of the latest commands that changed the competition, newest last
	Name    text.Name `json:"n"`
	Channel string    `json:"ch"`          // id of the channel for the competition's messages and tables
	Host    string    `json:"h,omitempty"` // id of the user who created the competition
	Due     Stamp     `json:"d,omitempty"` // when the next automatic step is due; 0 for never

	Options []games.Setting `json:"o,omitempty"` // options of the competition's games
	Clock   ClockRule       `json:"cl,omitzero"` // time control of the competition's games
	Unrated bool            `json:"u,omitempty"` // whether the games are not counted on leaderboards
	Role    string          `json:"r,omitempty"` // id of the role that people need to enter; "" for none

	Credited Stamp  `json:"cr,omitempty"` // interruptions of play up to this moment have been added to the deadlines
	Looked   Stamp  `json:"lk,omitempty"` // last check for participants who left the server
	Next     uint64 `json:"nx,omitempty"` // number of the next season of a league

	// Entrants and people who were asked to substitute, except those whose data was deleted.
	People []Participant           `json:"p,omitempty"`
	Rules  competition.Competition `json:"s"` // state under the rules of competitions

	News     []competition.Change `json:"ne,omitempty"` // changes that are not announced in the channel yet, in order
	Batch    int                  `json:"b,omitempty"`  // number of changes in News that the next message announces
	Since    Stamp                `json:"si,omitempty"` // when Batch was set
	Messages int                  `json:"to,omitempty"` // number of announcements sent to the channel
	Card     Sign                 `json:"cd,omitzero"`  // message that shows the current state
	// Whether the channel refused the latest message or was deleted.
	Refused bool          `json:"rf,omitempty"`
	Warned  Trouble       `json:"w,omitempty"`  // last trouble that the host was told about
	Posted  []PairingCard `json:"pc,omitempty"` // cards of pairings whose tables are not open yet or must be moved
	// Pairings that have ended, or whose players have changed, and whose tables have not been told yet.
	Stop []int `json:"st,omitempty"`
	// Pairings whose tables move to the competition's channel if their own channel is gone.
	Bring []int `json:"br,omitempty"`
}

// Participant is a user who entered a competition, or was asked to substitute.
type Participant struct {
	User        string    `json:"u"`
	Name        text.Name `json:"n,omitzero"` // name when the user entered or was asked
	Interaction string    `json:"i"`          // id of the interaction with which the user entered or was asked
}

// PairingCard is the message to which the thread of a pairing's table is attached.
type PairingCard struct {
	Pairing int    `json:"n"`
	Message string `json:"m"`
}

// Sign is a message that is edited when its content changes.
type Sign struct {
	Message string `json:"m,omitempty"` // id of the message; "" until it is posted
	Shown   uint64 `json:"s,omitempty"` // value of Competition.Drawn for the content that the message shows
	Refused bool   `json:"r,omitempty"` // whether Discord refused the latest edit; Shown counts it as done
}

// Trouble is a reason why people cannot see the current state of a competition.
type Trouble string

// The troubles that a competition can have.
const (
	NoTrouble      Trouble = ""
	ChannelRefuses Trouble = "channel" // the channel refuses the competition's messages
	CardRefused    Trouble = "card"    // Discord refuses edits of the card, which shows an earlier state
)

// Trouble returns the reason why people cannot see the current state, or NoTrouble.
func (c Competition) Trouble() Trouble {
	switch {
	case c.Refused:
		return ChannelRefuses
	case c.Card.Refused:
		return CardRefused
	}
	return NoTrouble
}

// Over reports whether the competition has ended for good.
func (c Competition) Over() bool { return c.Rules.Phase == competition.Ended }

// Held reports whether the competition is on hold.
func (c Competition) Held() bool { return c.Rules.Held != 0 }

// HeldFor reports whether the competition is on hold for the given reason.
func (c Competition) HeldFor(reason string) bool { return c.Held() && c.Rules.HeldFor == reason }

// ID returns the competition's server and number.
func (c Competition) ID() CompetitionID { return CompetitionID{c.Server, c.Number} }

// Know adds a participant who entered, or was asked to substitute, with the given interaction. It replaces an earlier
// entry of the same user.
func (c *Competition) Know(who Occupant, interaction string) {
	c.People = slices.DeleteFunc(slices.Clone(c.People), func(p Participant) bool { return p.User == who.User })
	c.People = append(c.People, Participant{User: who.User, Name: who.Name, Interaction: interaction})
}

// Unknow removes the participants who are neither entrants nor still asked to substitute.
func (c *Competition) Unknow() {
	takes := map[string]bool{}
	for _, e := range c.Rules.Entrants {
		takes[e.User] = true
	}
	for _, o := range c.Rules.Offers {
		takes[o.To] = true
	}
	if slices.ContainsFunc(c.People, func(p Participant) bool { return !takes[p.User] }) {
		c.People = slices.DeleteFunc(slices.Clone(c.People), func(p Participant) bool { return !takes[p.User] })
	}
}

// Person returns the participant with a user id; false if there is none.
func (c Competition) Person(user string) (Participant, bool) {
	i := slices.IndexFunc(c.People, func(p Participant) bool { return p.User == user && user != "" })
	if i < 0 {
		return Participant{}, false
	}
	return c.People[i], true
}

// MaxCompetitors limits the participants of a competition, including those who have left.
const MaxCompetitors = 1024

// maxKeys is the number of command keys that a competition remembers.
const maxKeys = 32

// Asked returns the open challenge that a user has not answered yet. It returns false if there is none.
func (c Competition) Asked(user string) (competition.Pairing, bool) {
	i, known := c.Rules.Entrant(user)
	for _, p := range c.Rules.Pairings {
		if known && p.End == "" && p.Answer != 0 && p.Challenger != i && p.Seat(i) >= 0 {
			return p, true
		}
	}
	return competition.Pairing{}, false
}

// Heard reports whether the command with this key has already changed the competition. Only the latest maxKeys commands
// are remembered.
func (c Competition) Heard(key string) bool { return key != "" && slices.Contains(c.Keys, key) }

// Hear records the key of a command that changes the competition.
func (c *Competition) Hear(key string) {
	if key != "" {
		c.Keys = append(slices.Clone(c.Keys[max(0, len(c.Keys)+1-maxKeys):]), key)
	}
}

// ErrNoCompetition says that a server has no competition with this number.
var ErrNoCompetition = errors.New("no such competition")

// ErrCompetitors says that a competition would have more than MaxCompetitors people.
var ErrCompetitors = errors.New("as many people as a competition takes")

// MoreCompetitionsError says that a server already has its maximum number of unfinished competitions.
type MoreCompetitionsError struct{ Most int }

func (e *MoreCompetitionsError) Error() string {
	return fmt.Sprintf("more than %d competitions", e.Most)
}

func competitionEntries(k key, h competitionHead) []entry {
	list := []entry{{competitionsOfServer, k, nil}}
	if h.Due != 0 {
		list = append(list, entry{competitionsDue, key{moment: h.Due, server: k.server, number: k.number}, nil})
	}
	if !h.Over() {
		list = append(list, entry{activeCompetitions, k, nil})
	}
	return list
}

func forgetCompetition(f *forgotten, c Competition) (Competition, bool) {
	name := f.unmention(c.Name)
	_, entered := c.Rules.Entrant(f.user)
	_, known := c.Person(f.user)
	if name == c.Name && c.Host != f.user && !entered && !known {
		return c, false
	}
	c.Name = name
	if c.Host == f.user {
		c.Host = f.as
	}
	c.People = slices.DeleteFunc(slices.Clone(c.People), func(p Participant) bool { return p.User == f.user })
	c.Rules = c.Rules.Forget(f.user, competition.Stamp(c.Changed))
	c.Version++ // so that a change based on an earlier state, which still names the user, is refused
	c.Drawn = c.Version
	return c, true
}

// check returns ErrCompetitors for too many people, and ErrInvalid for a missing server or version, a missing or
// repeated user, or an id or key that cannot be stored.
func (c Competition) check() error {
	names := []string{c.Server, c.Channel, c.Host, c.Rules.Setup.Game, c.Role}
	known := map[string]bool{"": true}
	for _, p := range c.People {
		names = append(names, p.User)
		if known[p.User] {
			return fmt.Errorf("%w: somebody in a competition is nobody, or there twice", ErrInvalid)
		}
		known[p.User] = true
	}
	for _, n := range names {
		if err := CheckName(n); err != nil {
			return err
		}
	}
	long := slices.ContainsFunc(c.Keys, func(k string) bool { return len(k) > MaxKey })
	switch {
	case c.Server == "" || c.Version == 0 || long:
		return fmt.Errorf("%w: a competition of no server or version, or with a long key", ErrInvalid)
	case len(c.People) > MaxCompetitors:
		return ErrCompetitors
	}
	return nil
}

// AddCompetition stores a new competition as version 1 and returns its number, which is higher than those of the
// server's other competitions. If an unfinished competition remembers the first of c.Keys, AddCompetition returns its
// number instead. It returns ErrCompetitors for too many people, ErrInvalid for a competition that is not valid or
// not of version 1, and a *MoreCompetitionsError if the server already has most unfinished competitions.
func (s *Store) AddCompetition(ctx context.Context, c Competition, most int) (number uint64, err error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	if c.Version != 1 {
		return 0, fmt.Errorf("%w: a new competition of version %d", ErrInvalid, c.Version)
	}
	at := key{server: c.Server}
	err = s.update(ctx, work{locks: []kv.Lock{competitionLock.of(at)}, run: func(t *txn) error {
		going, err := activeCompetitions.entries(t, activeCompetitions.under(at, 1), kv.Descending, most)
		if err != nil {
			return err
		}
		last, err := competitionsOfServer.entries(t, competitionsOfServer.under(at, 1), kv.Descending, 1)
		if err != nil {
			return err
		}
		for _, k := range going {
			before, there, err := competitions.get(t, key{server: k.server, number: k.number})
			if err != nil {
				return err
			}
			if there && len(c.Keys) > 0 && before.Heard(c.Keys[0]) {
				number = k.number
				return nil
			}
		}
		if len(going) >= most {
			return &MoreCompetitionsError{Most: most}
		}
		if number = 1; len(last) > 0 {
			number = last[0].number + 1
		}
		return putCompetition(t, key{server: c.Server, number: number}, Competition{}, c)
	}})
	return number, err
}

// ChangeCompetition replaces old by c, its next version. old is the competition as the store last returned or
// accepted it. Errors are ErrInvalid if c is not valid or not the version after old, ErrCompetitors for too many
// people, ErrNotOwner if the fence's term is over, ErrNoCompetition for an unknown competition, and ErrStale if the
// stored version is not that of old.
func (s *Store) ChangeCompetition(ctx context.Context, old, c Competition, fence Fence) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.ID() != old.ID() || c.Version != old.Version+1 {
		return fmt.Errorf("%w: competition %v of version %d is not made from %v of version %d", ErrInvalid, c.ID(),
			c.Version, old.ID(), old.Version)
	}
	at := key{server: c.Server, number: c.Number}
	return s.update(ctx, work{
		locks: []kv.Lock{competitionLock.of(at)}, want: kv.Want{Keys: []kv.Key{competitions.key(at)}}, fence: fence,
		run: func(t *txn) error {
			stored, there, err := competitions.get(t, at)
			switch {
			case err != nil:
				return err
			case !there:
				return ErrNoCompetition
			case stored.Version != old.Version:
				return ErrStale
			}
			return putCompetition(t, at, old, c)
		},
	})
}

// Competition returns a competition of a server, or ErrNoCompetition.
func (s *Store) Competition(ctx context.Context, server string, number uint64) (Competition, error) {
	return s.Reread(ctx, Competition{Server: server, Number: number})
}

// Competitions returns a server's latest competitions, newest first.
func (s *Store) Competitions(ctx context.Context, server string, limit int) (list []Competition, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		list = nil
		at, err := competitionsOfServer.entries(r, competitionsOfServer.under(key{server: server}, 1), kv.Descending,
			limit)
		for _, k := range at {
			c, rerr := readCompetition(r, k)
			if err = errors.Join(err, rerr); err != nil {
				return err
			}
			list = append(list, c)
		}
		return err
	})
	return list, err
}

// CompetitionID identifies a competition.
type CompetitionID struct {
	Server string
	Number uint64
}

func competitionIDs(keys []key) []CompetitionID {
	list := make([]CompetitionID, len(keys))
	for i, k := range keys {
		list[i] = CompetitionID{k.server, k.number}
	}
	return list
}

// CompetitionsOf returns the competitions that a user has entered, or was asked to substitute in, by server and number.
func (s *Store) CompetitionsOf(ctx context.Context, user string, limit int) ([]CompetitionID, error) {
	keys, err := s.keysIn(ctx, competitionsOfUser, competitionsOfUser.under(key{user: user}, 1), limit)
	return competitionIDs(keys), err
}

// ActiveCompetitions returns the unfinished competitions of a server, by number.
func (s *Store) ActiveCompetitions(ctx context.Context, server string, limit int) ([]CompetitionID, error) {
	keys, err := s.keysIn(ctx, activeCompetitions, activeCompetitions.under(key{server: server}, 1), limit)
	return competitionIDs(keys), err
}

// CompetitionsDue lists the competitions that are due no later than until, ordered by due time, server and number.
func (s *Store) CompetitionsDue(ctx context.Context, until Stamp, limit int) ([]CompetitionID, error) {
	within := kv.Range{Space: competitionsDue.space, To: kv.After(competitionsDue.begin(key{moment: until}, 1))}
	keys, err := s.keysIn(ctx, competitionsDue, within, limit)
	return competitionIDs(keys), err
}

// TableOf returns the id of the table that was opened for a competition's game, or 0 if there is none.
func (s *Store) TableOf(ctx context.Context, of CompetitionID, game uint64) (ID, error) {
	keys, err := s.keysIn(ctx, competitionTables,
		competitionTables.under(key{server: of.Server, number: of.Number, gameNumber: game}, 3), 1)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return keys[0].table, nil
}

// untabled returns a *DoneError if the change opens a second table for a competition's game.
func (c Change) untabled(r kv.Reader) error {
	of := c.Head.Competition
	if of.Number == 0 {
		return nil
	}
	at := key{server: c.Head.Guild, number: of.Number, gameNumber: of.Game}
	there, err := competitionTables.entries(r, competitionTables.under(at, 3), kv.Ascending, 1)
	if err == nil && len(there) > 0 {
		err = &DoneError{Key: c.Key, Table: there[0].table, Version: 1}
	}
	return err
}
