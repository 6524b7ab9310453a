package choices

import (
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// Preferences are a user's choices for all servers, and a few other data that are stored about the user.
type Preferences struct {
	// hours until the first reminder; 0 for DefaultRemind, -1 for never
	Remind int `json:"remind,omitempty"`
	// start and end of the quiet hours, in minutes after midnight; equal if there are none
	Night [2]int `json:"night,omitzero"`
	Zone  string `json:"zone,omitempty"` // time zone of the quiet hours and of the digest; "" for UTC
	// theme of pictures that only the user sees; "" for the server's theme
	Theme    string `json:"theme,omitempty"`
	Language string `json:"language,omitempty"`
	// absences, in the order of From; those that ended more than a year ago can be missing
	Away    clock.AwayList `json:"away,omitempty"`
	Notices []Notice       `json:"notices,omitempty"`
	Calls   Calls          `json:"calls,omitempty"` // how the user is notified, for example of their turn
	Digest  Digest         `json:"digest,omitzero"`
	Due     storage.Stamp  `json:"due,omitempty"`     // time of the next digest; 0 for never
	Blocked []string       `json:"blocked,omitempty"` // users who can neither invite nor be paired with this user
	Hidden  Extras         `json:"hidden,omitzero"`   // parts of the profile that other users cannot see
	Learned []Learned      `json:"learned,omitempty"` // lessons that the user finished, by game
	// whether moves without a capture, a card or another surprise are played without a preview
	Quick bool `json:"quick,omitempty"`
	// whether the user's finished games may be shown to anybody with a link
	Sharing Sharing `json:"sharing,omitempty"`
}

// Sharing controls whether a user's finished games can be shown to anybody with a link.
type Sharing string

// Values of Sharing. A game gets a page only if all its players allow that.
const (
	ShareNothing Sharing = ""
	ShareUnnamed Sharing = "unnamed" // the user is called by the letter of their seat
	ShareByName  Sharing = "name"
)

// MaxBlocked is the maximum number of users that a user can block.
const MaxBlocked = 25

// Calls is the way in which a user is notified.
type Calls string

// Values of Calls.
const (
	CallInChannel Calls = ""       // by a mention in the channel
	CallDirectly  Calls = "direct" // by direct message; in the channel if that fails
	CallBoth      Calls = "both"
	CallDaily     Calls = "daily" // by a digest once a day; in the channel if the digest would come too late
)

// Learned are the lessons of a game that a user has done.
type Learned struct {
	Game string   `json:"game"`
	Done []string `json:"done"` // keys of lessons, in the order in which they were done
}

// HasLearned reports whether the user has done a lesson of a game.
func (p Preferences) HasLearned(game, lesson string) bool {
	i := slices.IndexFunc(p.Learned, func(l Learned) bool { return l.Game == game })
	return i >= 0 && slices.Contains(p.Learned[i].Done, lesson)
}

func (p *Preferences) learn(game, lesson string) {
	if p.HasLearned(game, lesson) {
		return
	}
	p.Learned = slices.Clone(p.Learned)
	i := slices.IndexFunc(p.Learned, func(l Learned) bool { return l.Game == game })
	if i < 0 {
		i = len(p.Learned)
		p.Learned = append(p.Learned, Learned{Game: game})
	}
	p.Learned[i].Done = append(slices.Clone(p.Learned[i].Done), lesson)
}

// DefaultRemind is the number of hours before the first reminder of users who have not chosen.
const DefaultRemind = 24

// AwayAt returns the absence that covers a moment on a server, or zero if there is none.
func (p Preferences) AwayAt(guild string, at storage.Stamp) clock.Away { return p.Away.At(guild, at) }

// Notice is a message that a user gets with the next answer, because it could not be delivered in the usual place.
type Notice struct {
	// The notice is about one of these.
	Table       storage.ID            `json:"table,omitempty"`
	Competition storage.CompetitionID `json:"competition,omitzero"`

	At storage.Stamp `json:"at"`
}

// about reports whether two notices are about the same table or competition.
func (n Notice) about(of Notice) bool { return n.Table == of.Table && n.Competition == of.Competition }

// maxNotices limits a user's pending notices.
const maxNotices = 20

// Note stores a notice for the next answer to the user. It replaces an earlier notice about the same table or
// competition, and drops the oldest ones beyond maxNotices.
func (p *Preferences) Note(of Notice, now time.Time) {
	p.Notices = slices.DeleteFunc(slices.Clone(p.Notices), of.about)
	of.At = storage.At(now)
	p.Notices = append(p.Notices, of)
	p.Notices = p.Notices[max(0, len(p.Notices)-maxNotices):]
}

// Unnote removes a notice that the user has received.
func (p *Preferences) Unnote(of Notice) {
	p.Notices = slices.DeleteFunc(slices.Clone(p.Notices), of.about)
	if len(p.Notices) == 0 {
		p.Notices = nil
	}
}

// DefaultDigestHour is the hour of the digest of users who have not chosen one.
const DefaultDigestHour = 18

// Digest has the hour of a user's digests, and the times from which the time of the next one is computed. A digest
// lists the tables and competitions that wait for the user.
type Digest struct {
	Hour int           `json:"hour,omitempty"` // hour of the day in the user's zone
	From storage.Stamp `json:"from,omitempty"` // time of the choice of Hour; no earlier digest is due
	// time of the last digest, including an empty one, which was not sent
	Last storage.Stamp `json:"last,omitempty"`
}

// Choose sets the hour of future digests.
func (d *Digest) Choose(hour int, now time.Time) { d.Hour, d.From = hour, storage.At(now) }

// next returns the time of the next digest. It is at the chosen hour, after From, and not on the day of the last
// digest.
func (d Digest) next(zone string) storage.Stamp {
	last := time.Time{}
	if d.Last != 0 {
		last = d.Last.Time()
	}
	return storage.At(clock.Daily(60*d.Hour, d.From.Time(), last, clock.Zone(zone)))
}

func (p Preferences) remind() time.Duration {
	return time.Duration(max(0, orDefault(p.Remind, DefaultRemind))) * time.Hour
}

// sameTimes reports whether clocks and reminders are the same with two preferences.
func sameTimes(a, b Preferences) bool {
	return slices.Equal(a.Away, b.Away) && a.Night == b.Night && a.Zone == b.Zone && a.remind() == b.remind()
}
