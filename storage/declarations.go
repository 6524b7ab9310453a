package storage

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"marque/games"
	"marque/games/competition"
	"marque/games/rating"
)

// This file declares all kinds of stored values except jobs, and all indexes.
//
// Most rows of a table are adjacent in one space, so that a move changes few pages of a file. A commit writes every
// changed page.

// rowsOfTables is the space of the rows of tables. A key begins with the id of the table, followed by a byte for the
// kind of row.
const rowsOfTables = "tables"

const (
	headRow    = 0
	noteRow    = 1
	commandRow = 2
	eventRow   = 3
	reviewRow  = 4
	shareRow   = 5
)

// newTables is the lock that a transaction needs to assign the id of a new table and to write its rows.
var newTables = lock{name: "sequence " + tableSequence}

// Names of sequences.
const (
	tableSequence = "tables"
	schemaName    = "schema" // holds the schema version of the store
)

var (
	underTable = []lock{tableLock, newTables}

	heads = declare(kind[tableRow]{
		layout: layout{rowsOfTables, []*part{byTable, fixed(headRow)}},
		what:   "the head of table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		encode: encodeHead,
		decode: decodeHead,
		forget: forgetHead,
		derive: headEntries,
	})
	details = declare(kind[Detail]{
		layout: layout{"details", []*part{byTable}},
		what:   "the detail of table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		encode: encodeDetail,
		decode: func(_ key, b []byte) (Detail, error) { return decodeDetail(b) },
		forget: func(f *forgotten, _ key, d Detail) (Detail, bool) {
			var invited, ordered bool
			d.Invited, invited = f.rename(d.Invited)
			d.Order, ordered = f.rename(d.Order)
			return d, invited || ordered
		},
	})
	// notes are what the publisher has to remember about a table's messages, such as their ids.
	notes = declare(kind[string]{
		layout: layout{rowsOfTables, []*part{byTable, fixed(noteRow)}},
		what:   "the note about table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		encode: func(v string) ([]byte, error) { return []byte(v), nil },
		decode: func(_ key, b []byte) (string, error) { return string(b), nil },
		forget: forgetNote,
	})
	// commands are the outcomes of commands at a table, by the command's key.
	commands = declare(kind[DoneError]{
		layout: layout{rowsOfTables, []*part{byTable, fixed(commandRow), bySlot, byName}},
		what:   "the key of a command at table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		encode: encodeDone,
		decode: decodeDone,
		forget: nobodyIn[DoneError],
	})
	// openings are the outcomes of commands that opened a table, by the command's key.
	openings = declare(kind[DoneError]{
		layout: layout{"openings", []*part{bySlot, byName}},
		what:   "the key of a command that opened a table",
		of:     unowned,
		locks:  []lock{newTables},
		encode: encodeDone,
		decode: decodeDone,
		forget: nobodyIn[DoneError],
	})
	events = declare(kind[Event]{
		layout: layout{rowsOfTables, []*part{byTable, fixed(eventRow), byEvent}},
		what:   "event {event} of table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		encode: func(e Event) ([]byte, error) { return appendEvent(nil, e), nil },
		decode: func(_ key, b []byte) (Event, error) { return decodeEvent(b) },
		forget: forgetEvent,
	})
	reviews = declare(kind[Review]{
		layout: layout{rowsOfTables, []*part{byTable, fixed(reviewRow)}},
		what:   "the review of table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		forget: nobodyIn[Review],
	})
	// shares are the keys in the links to the shared pages of games.
	shares = declare(kind[Secret]{
		layout: layout{rowsOfTables, []*part{byTable, fixed(shareRow)}},
		what:   "the key of the page of table {table}",
		of:     []*part{byTable},
		locks:  underTable,
		forget: func(_ *forgotten, _ key, k Secret) (Secret, bool) { return "", k != "" },
		secret: true,
	})
	// sequences are the numbers that were last assigned, and the schema version.
	sequences = declare(kind[uint64]{
		layout: layout{"sequences", []*part{byName}},
		what:   "the number of {name} that was given last",
		of:     unowned,
		locks:  []lock{sequenceLock},
		encode: func(n uint64) ([]byte, error) { return binary.BigEndian.AppendUint64(nil, n), nil },
		decode: func(_ key, b []byte) (uint64, error) {
			if len(b) != 8 {
				return 0, errFormat
			}
			return binary.BigEndian.Uint64(b), nil
		},
		forget: nobodyIn[uint64],
	})

	serverSettings = declare(kind[json.RawMessage]{
		layout: layout{"settings-g", []*part{byServer}},
		what:   "the settings of server {server}",
		of:     []*part{byServer},
		locks:  []lock{settingsLock},
		forget: nobodyIn[json.RawMessage],
	})
	userSettings = declare(kind[json.RawMessage]{
		layout: layout{"settings-u", []*part{byUser}},
		what:   "the settings of user {user}",
		of:     []*part{byUser},
		locks:  []lock{userLock},
		forget: nobodyIn[json.RawMessage], // the settings are deleted with the user
		derive: dueEntries,
	})
	// seeks are the seeks and pairings of a server.
	seeks = declare(kind[Seeks]{
		layout: layout{"seeks", []*part{byServer}},
		what:   "who looks for a game on server {server}",
		of:     []*part{byServer},
		locks:  []lock{settingsLock},
		forget: func(f *forgotten, _ key, s Seeks) (Seeks, bool) { return s.Without(f.user) },
		derive: seekEntries,
	})
	// botNotes are values that the bot stores for itself.
	botNotes = declare(kind[json.RawMessage]{
		layout: layout{"bot", []*part{byName}},
		what:   "the bot's {name}",
		of:     unowned,
		locks:  []lock{noteLock},
		forget: nobodyIn[json.RawMessage],
	})

	leagues = declare(kind[League]{
		layout: layout{"leagues", []*part{byServer}},
		what:   "the seasons of server {server}",
		of:     []*part{byServer},
		locks:  []lock{leagueLock},
		forget: forgetLeague,
	})
	results = declare(kind[Result]{
		layout: layout{"results", []*part{byServer, byTable}},
		what:   "the result of table {table}",
		of:     []*part{byTable, byServer},
		locks:  []lock{leagueLock},
		fill:   func(k key, r *Result) { r.Table = k.table },
		forget: forgetResult,
		derive: resultEntries,
	})
	// halves say which half of a server's leaderboards is live. The leaderboards, and the ratings after each result,
	// are stored in up to two halves. The live half is read, and finished games are counted in it, while a recount
	// fills the other half. Once the other half has counted all results, a commit makes it live, and the previous half
	// is cleared.
	halves = declare(kind[byte]{
		layout:  layout{"halves", []*part{byServer}},
		what:    "which leaderboards of server {server} count",
		of:      []*part{byServer},
		locks:   []lock{leagueLock},
		forget:  nobodyIn[byte],
		counted: true,
	})
	standings = declare(kind[Standing]{
		layout:  layout{"standings", []*part{byServer, byHalf, byGame, byPersons, bySeason, byPlayer}},
		what:    "the standing of {player} on a leaderboard of server {server}",
		of:      []*part{byServer},
		locks:   []lock{leagueLock},
		fill:    func(k key, s *Standing) { s.Player = k.player },
		forget:  nobodyIn[Standing], // lines are renamed together with results, by renameLines
		derive:  standingEntries,
		counted: true,
	})
	// ratings are the players' ratings after a result, by seat.
	ratings = declare(kind[[]rating.Rating]{
		layout:  layout{"ratings", []*part{byServer, byHalf, byTable}},
		what:    "the ratings after the game of table {table}",
		of:      []*part{byServer, byTable},
		locks:   []lock{leagueLock},
		forget:  nobodyIn[[]rating.Rating],
		counted: true,
	})
	// If any row of a competition names a forgotten user, takeOut changes all its rows together.
	competitions = declare(kind[competitionHead]{
		layout: layout{rowsOfCompetitions, []*part{byServer, byNumber, fixed(competitionRow)}},
		what:   "competition {number} of server {server}",
		of:     []*part{byServer},
		locks:  []lock{competitionLock},
		fill:   func(k key, h *competitionHead) { h.Server, h.Number = k.server, k.number },
		forget: func(f *forgotten, _ key, h competitionHead) (_ competitionHead, changed bool) {
			h.Competition, changed = forgetCompetition(f, h.Competition)
			return h, changed
		},
		derive: competitionEntries,
	})
	participants = declare(kind[Participant]{
		layout: layout{rowsOfCompetitions, []*part{byServer, byNumber, fixed(participantRow), byPlace}},
		what:   "participant {place} of competition {number} of server {server}",
		of:     []*part{byServer},
		locks:  []lock{competitionLock},
		forget: func(f *forgotten, _ key, p Participant) (Participant, bool) {
			return Participant{}, p.User == f.user
		},
		derive: func(k key, p Participant) []entry {
			return []entry{{competitionsOfUser, key{user: p.User, server: k.server, number: k.number}, nil}}
		},
	})
	entrants = declare(kind[competition.Entrant]{
		layout: layout{rowsOfCompetitions, []*part{byServer, byNumber, fixed(entrantRow), byPlace}},
		what:   "entrant {place} of competition {number} of server {server}",
		of:     []*part{byServer},
		locks:  []lock{competitionLock},
		forget: func(f *forgotten, _ key, e competition.Entrant) (competition.Entrant, bool) {
			known := e.User == f.user
			e.User = ""
			return e, known
		},
	})
	pairings = declare(kind[competition.Pairing]{
		layout: layout{rowsOfCompetitions, []*part{byServer, byNumber, fixed(pairingRow), byPlace}},
		what:   "pairing {place} of competition {number} of server {server}",
		of:     []*part{byServer},
		locks:  []lock{competitionLock},
		forget: nobodyIn[competition.Pairing],
	})
	studies = declare(kind[Study]{
		layout: layout{"studies", []*part{byUser}},
		what:   "the study of user {user}",
		of:     []*part{byUser},
		locks:  []lock{userLock},
		forget: nobodyIn[Study],
		derive: studyEntries,
	})
	puzzlers = declare(kind[Puzzler]{
		layout: layout{"puzzlers", []*part{byUser}},
		what:   "the puzzles of the day of user {user}",
		of:     []*part{byUser},
		locks:  []lock{userLock},
		forget: nobodyIn[Puzzler],
	})
	// scores are users' scores in the puzzles of the day, by server and month.
	scores = declare(kind[Score]{
		layout: layout{"scores", []*part{byUser, byServer, byMonth}},
		what:   "what user {user} solved on server {server} in {month}",
		of:     []*part{byUser, byServer},
		locks:  []lock{userLock},
		forget: nobodyIn[Score],
		derive: scoreEntries,
	})
	badges = declare(kind[Badges]{
		layout: layout{"badges", []*part{byUser, byServer}},
		what:   "the badges of user {user} on server {server}",
		of:     []*part{byUser, byServer},
		locks:  []lock{userLock},
		forget: nobodyIn[Badges],
	})
	predictions = declare(kind[Prediction]{
		layout: layout{"predictions", []*part{byUser, byServer, byMonth, byTable}},
		what:   "what user {user} predicted on server {server} in {month} of table {table}",
		of:     []*part{byUser, byServer},
		locks:  []lock{userLock},
		fill:   func(k key, p *Prediction) { p.User, p.Server, p.Table = k.user, k.server, k.table },
		forget: nobodyIn[Prediction],
		derive: func(k key, _ Prediction) []entry {
			return []entry{{predictionsIn, k, nil}, {predictionsAt, k, nil}}
		},
	})
	// conducts count how a user played with others on a server in a month.
	conducts = declare(kind[Conduct]{
		layout: layout{"conduct", []*part{byUser, byServer, byMonth}},
		what:   "how user {user} played on server {server} in {month}",
		of:     []*part{byUser, byServer},
		locks:  []lock{userLock},
		fill:   func(k key, c *Conduct) { c.Server, c.Month = k.server, k.month },
		forget: nobodyIn[Conduct],
	})
	webhooks = declare(kind[Webhook]{
		layout: layout{"webhooks", []*part{byUser}},
		what:   "the webhook of user {user}",
		of:     []*part{byUser},
		locks:  []lock{userLock},
		forget: nobodyIn[Webhook],
		derive: webhookEntries,
		secret: true,
	})
	logins = declare(kind[Login]{
		layout: layout{"doors", []*part{byUser}},
		what:   "what lets the browsers of user {user} in",
		of:     []*part{byUser},
		locks:  []lock{userLock},
		forget: nobodyIn[Login],
		secret: true,
	})
)

// Indexes of tables, and of the moments at which seeks, users, studies and webhooks are due.
var (
	activeInServer  = declareIndex("going-g", &serverLock, byServer, byTable)
	activeInChannel = declareIndex("going-c", &channelLock, byChannel, byTable)
	activeOfUser    = declareIndex("going-u", &userLock, byUser, byTable, byServer)
	// Lobbies in which their host has a seat, by host, with the number of open invitations.
	lobbiesOfUser     = declareIndex("lobbies", &userLock, byUser, byServer, byTable)
	overInServer      = declareIndex("over-g", nil, byServer, latestID)
	overInChannel     = declareIndex("over-c", nil, byChannel, latestID)
	overOfUser        = declareIndex("over-u", nil, byUser, latestID)
	dueAt             = declareIndex("due", nil, byMoment, byTable, byName)
	turnsOf           = declareIndex("turns", nil, byUser, byMoment, byTable, byServer)
	seeksDue          = declareIndex("seeks-due", nil, byMoment, byServer)
	usersDue          = declareIndex("users-due", nil, byMoment, byUser)
	studiesEnd        = declareIndex("studies-end", nil, byMoment, byUser)
	webhooksDue       = declareIndex("webhooks-d", nil, byMoment, byUser)
	rematches         = declareIndex("rematches", nil, byOther, byTable)
	pending           = declareIndex("outbox", nil, byTable) // tables with versions that are not published yet
	competitionTables = declareIndex("contests", &competitionLock, byServer, byNumber, byGameNumber, byTable)
)

// headEntries returns the index entries of a table.
func headEntries(_ key, h tableRow) []entry {
	at := key{table: h.ID, server: h.Guild, channel: h.Channel}
	inServer, inChannel, ofUser := overInServer, overInChannel, overOfUser
	if h.Status.Active() {
		inServer, inChannel, ofUser = activeInServer, activeInChannel, activeOfUser
	}
	list := []entry{{in: inServer, key: at}, {in: inChannel, key: at}}
	add := func(in *index, change func(k *key)) {
		k := at
		change(&k)
		list = append(list, entry{in: in, key: k})
	}
	for i, o := range h.Seats {
		if o.User != "" && int(h.Seat(o.User)) == i { // a user with several seats has one entry
			add(ofUser, func(k *key) { k.user = o.User })
		}
	}
	if h.Status == Lobby && h.Host != "" && h.Seat(h.Host) >= 0 {
		add(lobbiesOfUser, func(k *key) { k.user = h.Host })
		list[len(list)-1].value = binary.AppendUvarint(nil, uint64(h.Waiting))
	}
	for _, d := range h.Due {
		add(dueAt, func(k *key) { k.moment, k.name = d.At, d.Kind })
	}
	if h.Status == Playing && h.Paused == "" && h.ToMove >= 0 && int(h.ToMove) < len(h.Seats) &&
		h.Seats[h.ToMove].User != "" {
		add(turnsOf, func(k *key) { k.user, k.moment = h.Seats[h.ToMove].User, h.since() })
	}
	if h.Rematch != 0 && h.Status.Active() {
		add(rematches, func(k *key) { k.other = h.Rematch })
	}
	if h.Published < h.Version {
		add(pending, func(*key) {})
	}
	if h.Competition.Number != 0 {
		add(competitionTables, func(k *key) { k.number, k.gameNumber = h.Competition.Number, h.Competition.Game })
	}
	return list
}

// since returns when the table began to wait for the current decision.
func (h Head) since() Stamp {
	if h.Timing.Turn != 0 {
		return h.Timing.Turn
	}
	return h.Started
}

// Indexes of results. Each entry of the first three holds the data that factsOf encodes.
var (
	resultsInServer = declareIndex("results-g", nil, byServer, latest, byTable)
	resultsOfGame   = declareIndex("results-k", nil, byServer, byGame, latest, byTable)
	resultsOfUser   = declareIndex("results-u", nil, byUser, latest, byTable)
	resultsInOrder  = declareIndex("results-o", &leagueLock, byServer, byNumber, byTable)
	longest         = declareIndex("results-l", nil, byServer, mostPlays, byTable) // without abandoned games
)

// resultEntries returns the index entries of a result.
func resultEntries(_ key, r Result) []entry {
	at, facts := key{server: r.Guild, game: r.Game, moment: r.Ended, table: r.Table, number: r.Order}, factsOf(r)
	list := []entry{{resultsInServer, at, facts}, {resultsOfGame, at, facts}, {resultsInOrder, at, nil}}
	var users []string
	for _, o := range r.Seats {
		if o.User != "" && !slices.Contains(users, o.User) {
			users = append(users, o.User)
			k := at
			k.user = o.User
			list = append(list, entry{resultsOfUser, k, facts})
		}
	}
	if r.Ending != games.Abandoned {
		at.plays = uint32(min(max(r.Plays, 0), math.MaxUint32))
		list = append(list, entry{longest, at, nil})
	}
	return list
}

// ranks holds the lines of every leaderboard in ranking order. Users whose data was deleted are left out.
var ranks = declareIndex("ranks", nil, byServer, byHalf, byGame, byPersons, bySeason, surest, byGames, byPlayer)

func standingEntries(k key, s Standing) []entry {
	if HasDeparted(k.player) {
		return nil
	}
	k.less, k.games = uint64(math.MaxInt64-int64(math.Round(s.Rating.Sure()*1e6))),
		uint32(s.RankedGames(k.persons == 'c'))
	s.Met = nil // lists of opponents are not shown
	line, err := toJSON(s)
	if err != nil { // storing the value fails with the same error
		return nil
	}
	return []entry{{ranks, k, line}}
}

// scoreRanks holds the scores of a server's month in ranking order.
var scoreRanks = declareIndex("scores-r", nil, byServer, byMonth, mostSolved, mostFirst, byUser)

func scoreEntries(k key, s Score) []entry {
	k.solved, k.first = uint32(s.Solved), uint32(s.First)
	return []entry{{scoreRanks, k, nil}}
}

// Indexes of predictions. Each entry contains the whole key of a prediction.
var (
	predictionsIn = declareIndex("predictions-m", nil, byServer, byMonth, byTable, byUser)
	predictionsAt = declareIndex("predictions-t", &tableLock, byTable, byUser, byServer, byMonth)
)

// Indexes of competitions.
var (
	competitionsDue    = declareIndex("competitions-d", nil, byMoment, byServer, byNumber)
	activeCompetitions = declareIndex("competitions-g", &competitionLock, byServer, byNumber)
	competitionsOfUser = declareIndex("competitions-u", nil, byUser, byServer, byNumber)
	// competitionsOfServer also lists finished competitions.
	competitionsOfServer = declareIndex("competitions-s", &competitionLock, byServer, byNumber)
)

func encodeDone(d DoneError) ([]byte, error) {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(d.Table)), d.Version), nil
}

func decodeDone(k key, b []byte) (DoneError, error) {
	if len(b) != 16 {
		return DoneError{}, errFormat
	}
	return DoneError{Key: k.name, Table: ID(binary.BigEndian.Uint64(b)), Version: binary.BigEndian.Uint64(b[8:])}, nil
}
