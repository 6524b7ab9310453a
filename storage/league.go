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

// AllGames is the value of Board.Game for a leaderboard that counts the results of all games.
const AllGames = ""

// Board identifies a leaderboard.
type Board struct {
	Guild     string
	Game      string // key of the game, or AllGames
	Computers bool   // whether games with computer players count, instead of games among people
	Season    int    // number of a season; 0 for all time
}

// Boards returns the leaderboards on which a result counts: those of its game and of all games, each for all time and,
// if the game ended in a season, for that season.
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

// Computers reports whether Seats has a computer player.
func (r Result) Computers() bool {
	for _, o := range r.Seats {
		if o.Computer != "" {
			return true
		}
	}
	return false
}

// Places returns the place of each seat, from 1. Tied seats share a place. Winners come first. The others are ordered
// by score if the game has points; otherwise they tie.
func (r Result) Places() []int {
	return games.Result{Winners: r.Winners, Scores: r.Scores}.Places(len(r.Seats))
}

// computerMark is the first character of a computer player's name on leaderboards. No user id begins with it.
const computerMark = "~"

// Player returns the name of an occupant on leaderboards: the user's id, or computerMark and the level of a computer
// player.
func (o Occupant) Player() string {
	if o.Computer != "" {
		return computerMark + o.Computer
	}
	return o.User
}

// Standing is a player's line on a leaderboard.
type Standing struct {
	Player string        `json:"-"`          // name of the player, as Occupant.Player returns it
	Name   text.Name     `json:"n,omitzero"` // displayed name in the latest game
	Rating rating.Rating `json:"r"`
	Games  int           `json:"g"`
	Wins   int           `json:"w,omitempty"` // number of wins, including shared ones
	Shared int           `json:"h,omitempty"` // number of wins shared with other players
	Draws  int           `json:"d,omitempty"`
	Streak int           `json:"k,omitempty"` // number of wins in a row up to now; negative for losses
	Best   int           `json:"b,omitempty"` // highest number of wins in a row
	Last   Stamp         `json:"t"`           // when the latest game ended
	// The player's number on this leaderboard, assigned with the first game there. It stays the same when the player is
	// renamed.
	Number          uint64    `json:"o,omitempty"`
	Met             []Meeting `json:"m,omitempty"` // latest opponents who are people; at most maxMet
	ComputerVersion int       `json:"c,omitempty"` // version of a computer player that Rating is for
}

// Meeting records how often two people have played each other on a leaderboard.
type Meeting struct {
	With  uint64  `json:"w"` // Standing.Number of the other player
	Games float64 `json:"g"` // weighted number of games; halves every meetingHalf
	Count int     `json:"n"` // unweighted number of games
	Last  Stamp   `json:"t"`
}

const (
	// maxMet is the maximum number of opponents in Standing.Met.
	maxMet = 50
	// meetingHalf is the time after which a game between two people has half its weight.
	meetingHalf = Stamp(7 * 24 * 60 * 60 * 1000)
	// LeastOpponents is the number of different opponents that a player needs to be ranked on a leaderboard of games
	// among people.
	LeastOpponents = 2
)

// met returns the weighted number of games with another player up to now.
func (s *Standing) met(with *Standing, now Stamp) float64 {
	for _, m := range s.Met {
		if m.With == with.Number {
			return m.Games * math.Exp2(-float64(max(0, now-m.Last))/float64(meetingHalf))
		}
	}
	return 0
}

// An opponent counts in full after knownGames games with other players and KnownPeople other opponents. Before
// that, the opponent counts in proportion, but with at least the weight stranger.
const (
	knownGames  = 10
	KnownPeople = 5
	stranger    = 0.1
)

// known returns how much the player counts as an opponent of to: between stranger and 1.
func (s *Standing) known(to *Standing) float64 {
	games, people := s.Games, len(s.Met)
	for _, m := range s.Met {
		if m.With == to.Number {
			games, people = games-m.Count, people-1
		}
	}
	return max(stranger, min(1, float64(games)/knownGames, float64(people)/KnownPeople))
}

// meet records a game with another player.
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

// RankedGames returns the number of games that is compared with BoardQuery.Least. On a leaderboard of games among
// people it is 0 until the player has met LeastOpponents opponents.
func (s Standing) RankedGames(computers bool) int {
	if !computers && len(s.Met) < LeastOpponents {
		return 0
	}
	return s.Games
}

// Equal reports whether two standings are the same.
func (s Standing) Equal(o Standing) bool { return reflect.DeepEqual(s, o) }

// Computer reports whether the player is a computer player.
func (s Standing) Computer() bool { return strings.HasPrefix(s.Player, computerMark) }

// Level returns a computer player's level; "" for a person.
func (s Standing) Level() string {
	if !s.Computer() {
		return ""
	}
	return strings.TrimPrefix(s.Player, computerMark)
}

// Add counts a finished game for the player, who had the given seat. It does not change the Rating.
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

// Voiding records that a result was removed from the leaderboards.
type Voiding struct {
	By  string    `json:"b"` // id of the moderator who did it; "" for the bot
	At  Stamp     `json:"t"`
	Why text.Name `json:"w,omitzero"`
}

// Season is a period with its own leaderboards.
type Season struct {
	Number  int       `json:"n"` // position among the server's seasons, from 1
	Name    text.Name `json:"a,omitzero"`
	Started Stamp     `json:"s"`
	Ended   Stamp     `json:"e,omitempty"` // 0 while it runs
}

// League is a server's settings for its leaderboards.
type League struct {
	Least   int      `json:"l,omitempty"` // number of games that a player needs to be ranked; 0 means 1
	Seasons []Season `json:"s,omitempty"` // seasons in order; only the last one can be running
}

// Running returns the running season; false if there is none.
func (l League) Running() (Season, bool) {
	if n := len(l.Seasons); n > 0 && l.Seasons[n-1].Ended == 0 {
		return l.Seasons[n-1], true
	}
	return Season{}, false
}

// StartSeason begins a new season. It returns ErrSeasonRuns if a season is running, and ErrSeasons if the league has
// MaxSeasons seasons.
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

// EndSeason ends the running season. It returns ErrNoSeason if none is running.
func (l *League) EndSeason(now Stamp) error {
	if _, ok := l.Running(); !ok {
		return ErrNoSeason
	}
	l.Seasons[len(l.Seasons)-1].Ended = now
	return nil
}

// MaxSeasons is the maximum number of a server's seasons, enough for a new one every week for nineteen years.
const MaxSeasons = 1000

// Errors of results and seasons.
var (
	// ErrNoResult says that no result is stored for a table: its game is not over or never started, or the table is
	// unknown.
	ErrNoResult = errors.New("the table has no result")
	// ErrSeasonRuns says that a season is already running.
	ErrSeasonRuns = errors.New("a season runs already")
	// ErrSeasons says that a server already has MaxSeasons seasons.
	ErrSeasons = errors.New("as many seasons as may be")
	// ErrNoSeason says that no season is running.
	ErrNoSeason = errors.New("no season runs")
)

// BoardQuery selects a page of a leaderboard.
type BoardQuery struct {
	Board
	Least         int    // minimum of Standing.RankedGames for ranked players, or AsSet
	Offset, Limit int    // number of lines before the page, and maximum number of lines on it
	Own           string // Player whose own line the page also has; "" for none
}

// AsSet is the value of BoardQuery.Least that stands for the server's League.Least, at least 1.
const AsSet = -1

// BoardPage is a page of a leaderboard, ordered by rating.Rating.Sure from the highest.
type BoardPage struct {
	Lines []Ranked
	Total int    // number of ranked players
	Own   Ranked // line of the user BoardQuery.Own; its Games are 0 if the user has none
	// Whether the server's leaderboards are being recounted. Until all results have been counted, the page shows the
	// leaderboard that the recount will replace.
	Recounting bool
}

// Ranked is a line of a leaderboard with its rank, from 1; tied lines share a rank. The rank is 0 if the player is
// not ranked.
type Ranked struct {
	Rank int
	Standing
}

// Stats are statistics of a server's games.
type Stats struct {
	Games   []GameStats // in the order of the keys that Store.Stats gets
	Weeks   []int       // number of games in each of the last StatWeeks weeks before now, the latest week last
	Longest []Result    // results with the most plays, at most StatLongest
}

// GameStats are statistics of a game on a server.
type GameStats struct {
	Game  string
	Count int
	Last  Stamp // when the latest game ended
}

// Rebuilt counts what a rebuild of the leaderboards has read and changed.
type Rebuilt struct {
	Guilds, Results int
	Changed         int // number of differences that were found between leaderboards and results
}
