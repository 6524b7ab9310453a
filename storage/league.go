package storage

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
)

// AllGames is the Game of a Board that counts the results of all games.
const AllGames = ""

// Board identifies a leaderboard.
type Board struct {
	Guild     string
	Game      string // key of the game, or AllGames
	Computers bool   // of games with computer players; otherwise of games among people
	Season    int    // number of the season; 0 for all time
}

// Boards returns the leaderboards on which a result counts: its game's and that of all games, each for all time and for
// its season.
func (r Result) Boards() []Board {
	list := make([]Board, 0, 4)
	for _, game := range []string{r.Game, AllGames} {
		b := Board{Guild: r.Guild, Game: game, Computers: r.Computers()}
		list = append(list, b)
		if r.Season > 0 {
			b.Season = r.Season
			list = append(list, b)
		}
	}
	return list
}

// Computers reports whether a computer player took part.
func (r Result) Computers() bool {
	for _, o := range r.Seats {
		if o.Computer != "" {
			return true
		}
	}
	return false
}

// Places returns the places by seat, from 1; tied seats share one. The winners come first. The others are ordered by
// score if the game has points, else they tie.
func (r Result) Places() []int {
	return games.Result{Winners: r.Winners, Scores: r.Scores}.Places(len(r.Seats))
}

// computerMark is the first character of a computer's Player; ids of people are digits.
const computerMark = "~"

// Player returns the name of a seat's holder on leaderboards: the user, or the computer player's level.
func (o Occupant) Player() string {
	if o.Computer != "" {
		return computerMark + o.Computer
	}
	return o.User
}

// Standing is a player's line on a leaderboard.
type Standing struct {
	Player string        `json:"-"`          // Occupant.Player
	Name   text.Name     `json:"n,omitzero"` // name in the latest game
	Rating rating.Rating `json:"r"`
	Games  int           `json:"g"`
	Wins   int           `json:"w,omitempty"` // shared wins included
	Shared int           `json:"h,omitempty"` // wins shared with others
	Draws  int           `json:"d,omitempty"`
	Streak int           `json:"k,omitempty"` // current wins in a row; negative for losses
	Best   int           `json:"b,omitempty"` // longest series of wins
	Last   Stamp         `json:"t"`           // end of the latest game
	// the player's number on this board, assigned with their first game there; it survives renaming
	Number          uint64    `json:"o,omitempty"`
	Met             []Meeting `json:"m,omitempty"` // the latest opponents, at most maxMet
	ComputerVersion int       `json:"c,omitempty"` // for a computer player: the version that the Rating belongs to
}

// Meeting says how often two people have played each other on a board.
type Meeting struct {
	With  uint64  `json:"w"` // the other's Standing.Number
	Games float64 `json:"g"` // weighted number of games; it halves every meetingHalf
	Count int     `json:"n"` // all games
	Last  Stamp   `json:"t"`
}

const (
	// maxMet is the number of opponents that a line remembers.
	maxMet = 50
	// meetingHalf is the time after which games between two people have lost half their weight.
	meetingHalf = Stamp(7 * 24 * 60 * 60 * 1000)
	// LeastOpponents is the number of different opponents that a person needs to be ranked among people.
	LeastOpponents = 2
)

// met returns the weighted number of games with another line's player, as of now.
func (s *Standing) met(with *Standing, now Stamp) float64 {
	for _, m := range s.Met {
		if m.With == with.Number {
			return m.Games * math.Exp2(-float64(max(0, now-m.Last))/float64(meetingHalf))
		}
	}
	return 0
}

// An opponent counts in full after knownGames games with others and KnownPeople other opponents. With fewer, the
// opponent counts in proportion; a stranger counts a tenth.
const (
	knownGames  = 10
	KnownPeople = 5
	stranger    = 0.1
)

// known returns how much the player counts as another line's opponent, from stranger to 1.
func (s *Standing) known(to *Standing) float64 {
	games, people := s.Games, len(s.Met)
	for _, m := range s.Met {
		if m.With == to.Number {
			games, people = games-m.Count, people-1
		}
	}
	return max(stranger, min(1, float64(games)/knownGames, float64(people)/KnownPeople))
}

// meet records a game with another line's player.
func (s *Standing) meet(with *Standing, now Stamp) {
	games, count := math.Round((s.met(with, now)+1)*1e6)/1e6, 1
	for _, m := range s.Met {
		if m.With == with.Number {
			count += m.Count
		}
	}
	s.Met = slices.DeleteFunc(slices.Clone(s.Met), func(m Meeting) bool { return m.With == with.Number })
	s.Met = append(s.Met, Meeting{With: with.Number, Games: games, Count: count, Last: now})
	s.Met = s.Met[max(0, len(s.Met)-maxMet):]
}

// RankedGames returns the number of games that counts for ranking (BoardQuery.Least). On a leaderboard of games among
// people it is 0 until the person has met LeastOpponents people.
func (s Standing) RankedGames(computers bool) int {
	if !computers && len(s.Met) < LeastOpponents {
		return 0
	}
	return s.Games
}

// Equal reports whether two lines are the same.
func (s Standing) Equal(o Standing) bool { return reflect.DeepEqual(s, o) }

// Computer reports whether the line is a computer player's.
func (s Standing) Computer() bool { return strings.HasPrefix(s.Player, computerMark) }

// Level returns a computer player's level; "" for a person.
func (s Standing) Level() string {
	if !s.Computer() {
		return ""
	}
	return strings.TrimPrefix(s.Player, computerMark)
}

// Add counts a finished game for the player. It does not change the Rating.
func (s *Standing) Add(r Result, seat games.Seat) {
	s.Games++
	s.Last = max(s.Last, r.Ended)
	s.Name = r.Seats[seat].Name
	switch {
	case r.Drew(seat):
		s.Draws++
		s.Streak = 0
	case r.Won(seat):
		s.Wins++
		if len(r.Winners) > 1 {
			s.Shared++
		}
		s.Streak = max(s.Streak, 0) + 1
		s.Best = max(s.Best, s.Streak)
	default:
		s.Streak = min(s.Streak, 0) - 1
	}
}

// Voiding records that a moderator took a result off the leaderboards.
type Voiding struct {
	By  string    `json:"b"` // the moderator
	At  Stamp     `json:"t"`
	Why text.Name `json:"w,omitzero"`
}

// Season is a period with its own leaderboards.
type Season struct {
	Number  int       `json:"n"` // from 1
	Name    text.Name `json:"a,omitzero"`
	Started Stamp     `json:"s"`
	Ended   Stamp     `json:"e,omitempty"` // 0 while it runs
}

// League is a server's settings for its leaderboards.
type League struct {
	Least   int      `json:"l,omitempty"` // games that a player needs to be ranked; 0 means 1
	Seasons []Season `json:"s,omitempty"` // by number; only the last one may be running
}

// Running returns the running season; false if there is none.
func (l League) Running() (Season, bool) {
	if n := len(l.Seasons); n > 0 && l.Seasons[n-1].Ended == 0 {
		return l.Seasons[n-1], true
	}
	return Season{}, false
}

// StartSeason begins the next season. It returns ErrSeasonRuns, or ErrSeasons if there are MaxSeasons already.
func (l *League) StartSeason(title text.Name, now Stamp) error {
	if _, ok := l.Running(); ok {
		return ErrSeasonRuns
	}
	if len(l.Seasons) >= MaxSeasons {
		return ErrSeasons
	}
	l.Seasons = append(l.Seasons, Season{Number: len(l.Seasons) + 1, Name: title, Started: now})
	return nil
}

// EndSeason ends the running season. It returns ErrNoSeason.
func (l *League) EndSeason(now Stamp) error {
	if _, ok := l.Running(); !ok {
		return ErrNoSeason
	}
	l.Seasons[len(l.Seasons)-1].Ended = now
	return nil
}

// MaxSeasons limits a server's seasons: two a week for ten years.
const MaxSeasons = 1000

// Errors of leagues.
var (
	// ErrNoResult says that a table has no result: its game is not over, or never started.
	ErrNoResult = errors.New("the table has no result")
	// ErrSeasonRuns says that a season is already running.
	ErrSeasonRuns = errors.New("a season runs already")
	// ErrSeasons says that a server already has MaxSeasons seasons.
	ErrSeasons = errors.New("as many seasons as may be")
	// ErrNoSeason says that no season is running.
	ErrNoSeason = errors.New("no season runs")
)

// BoardQuery asks for a page of a leaderboard.
type BoardQuery struct {
	Board
	Least         int    // Standing.RankedGames needed to be ranked, or AsSet
	Offset, Limit int    // number of lines before the page, and maximum number of its lines
	Own           string // the Player whose own line is wanted as well; "" for none
}

// AsSet stands for the server's own League.Least, at least 1.
const AsSet = -1

// BoardPage is a page of a leaderboard, highest rating.Rating.Sure first.
type BoardPage struct {
	Lines []Ranked
	Total int    // number of ranked players
	Own   Ranked // the line of BoardQuery.Own; its Games are 0 if there are none
	// Recounting says that the server's leaderboards are being recounted; the page shows the old ones.
	Recounting bool
}

// Ranked is a line with its rank, counted from 1; tied lines share a rank. The rank is 0 if the player has too few
// games.
type Ranked struct {
	Rank int
	Standing
}

// Stats counts the games of a server.
type Stats struct {
	Games   []GameStats // by key of the game
	Weeks   []int       // games that ended in each of the latest weeks, this week last
	Longest []Result    // the results with the most plays, at most StatLongest
}

// GameStats says how often a game was finished.
type GameStats struct {
	Game  string
	Count int
	Last  Stamp // when the latest game ended
}

// Rebuilt is the outcome of rebuilding the leaderboards.
type Rebuilt struct {
	Guilds, Results int
	Changed         int // number of lines and stored ratings that did not match the results
}
