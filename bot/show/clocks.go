package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table/clock"
	"marque/games/text"
	"marque/storage"
)

// OfferedClocks are the clocks in menus and among the choices of autocomplete. Options of commands also accept other
// clocks.
var OfferedClocks = []string{"none", "12h", "1d", "3d", "7d", "14d", "3d+12h", "10d+1d"}

// ClockOptions returns the options of a menu of clocks. now is the selected clock.
func ClockOptions(now storage.ClockRule, s Speaker) []discordgo.SelectMenuOption {
	chosen, offers := SpellClock(now), OfferedClocks
	if !slices.Contains(offers, chosen) {
		offers = append([]string{chosen}, offers...)
	}
	var out []discordgo.SelectMenuOption
	for _, o := range offers {
		rule, _ := ParseClock(o)
		out = append(out, discordgo.SelectMenuOption{
			Label: Clip(s.Say(ClockName(rule)), MaxOptionLabel), Value: o, Default: o == chosen,
		})
	}
	return out
}

// LateOptions are the values of an option for the rule about players who run out of time.
var LateOptions = []string{"computer", "offer", "forfeit"}

// LateOf returns the rule for a value in LateOptions.
func LateOf(option string) storage.Late {
	if option == "offer" {
		return storage.LateOffer
	}
	return storage.Late(option)
}

func optionOf(late storage.Late) string {
	if late == storage.LateOffer {
		return "offer"
	}
	return string(late)
}

// ParseClock parses "none", a time for each move ("12h", "3d"), or a bank with an increment for each move ("3d+12h").
func ParseClock(s string) (storage.ClockRule, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	if s == "none" {
		return storage.ClockRule{}, true
	}
	first, add, bank := strings.Cut(s, "+")
	d, ok := parseDuration(first)
	if !ok {
		return storage.ClockRule{}, false
	}
	if !bank {
		return storage.ClockRule{Mode: storage.PerMove, Time: d.Milliseconds()}, true
	}
	a, ok := parseDuration(add)
	return storage.ClockRule{Mode: storage.Bank, Time: d.Milliseconds(), Add: a.Milliseconds()}, ok
}

// parseDuration parses days and hours: "3d", "12h", "1d12h", and "0".
func parseDuration(s string) (time.Duration, bool) {
	if s == "0" {
		return 0, true
	}
	var total time.Duration
	if days, rest, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 10)
		if err != nil {
			return 0, false
		}
		total, s = time.Duration(n)*24*time.Hour, rest
	}
	if hours, rest, ok := strings.Cut(s, "h"); ok {
		n, err := strconv.ParseUint(hours, 10, 12)
		if err != nil {
			return 0, false
		}
		total, s = total+time.Duration(n)*time.Hour, rest
	}
	return total, s == "" && total > 0
}

// SpellClock returns a clock in the notation of ParseClock, in whole hours.
func SpellClock(r storage.ClockRule) string {
	spell := func(ms int64) string {
		h := ms / time.Hour.Milliseconds()
		switch {
		case h == 0:
			return "0"
		case h%24 == 0:
			return fmt.Sprintf("%dd", h/24)
		case h > 24:
			return fmt.Sprintf("%dd%dh", h/24, h%24)
		}
		return fmt.Sprintf("%dh", h)
	}
	switch r.Mode {
	case storage.PerMove:
		return spell(r.Time)
	case storage.Bank:
		return spell(r.Time) + "+" + spell(r.Add)
	}
	return "none"
}

// DurationText returns a duration in days and hours, or in hours and minutes if it is less than a day.
func DurationText(d time.Duration) text.Message {
	d = d.Round(time.Minute)
	var parts []text.Message
	days, hours, minutes := int(d/(24*time.Hour)), int(d/time.Hour)%24, int(d/time.Minute)%60
	if days > 0 {
		parts = append(parts, text.M("bot.time.days", "Count", days))
	}
	if hours > 0 {
		parts = append(parts, text.M("bot.time.hours", "Count", hours))
	}
	if days == 0 && (minutes > 0 || hours == 0) {
		parts = append(parts, text.M("bot.time.minutes", "Count", minutes))
	}
	return text.M("bot.time", "Parts", parts)
}

// ClockText describes a clock and the rule for players who run out of time.
func ClockText(r storage.ClockRule) text.Message {
	late := text.M("bot.late." + optionOf(r.Late))
	switch r.Mode {
	case storage.PerMove:
		return text.M("bot.clock.move", "Time", milliseconds(r.Time), "Late", late)
	case storage.Bank:
		if r.Late != storage.LateForfeit && r.Add < clock.Overtime.Milliseconds() {
			return text.M("bot.clock.bank-overtime", "Whole", whole(r),
				"Overtime", DurationText(clock.Overtime), "Late", late)
		}
		return text.M("bot.clock.bank", "Whole", whole(r), "Late", late)
	}
	return text.M("bot.clock.none")
}

// milliseconds returns the DurationText of n milliseconds.
func milliseconds(n int64) text.Message { return DurationText(time.Duration(n) * time.Millisecond) }

// whole describes the time that a storage.Bank gives for a game, and for each move if that is not 0.
func whole(r storage.ClockRule) text.Message {
	if r.Add == 0 {
		return text.M("bot.clock.whole", "Time", milliseconds(r.Time))
	}
	return text.M("bot.clock.whole-add", "Time", milliseconds(r.Time), "Add", milliseconds(r.Add))
}

// ClockName describes a clock without the rule for players who run out of time.
func ClockName(r storage.ClockRule) text.Message {
	switch {
	case r.Mode == storage.PerMove:
		return text.M("bot.clock.name-move", "Time", milliseconds(r.Time))
	case r.Mode == storage.Bank && r.Add == 0:
		return whole(r)
	case r.Mode == storage.Bank:
		return text.M("bot.clock.name-bank", "Time", milliseconds(r.Time), "Add", milliseconds(r.Add))
	}
	return text.M("bot.clock.none")
}
