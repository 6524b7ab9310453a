package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// offeredClocks are the clocks that lists offer; any other within bounds can be typed.
var offeredClocks = []string{"none", "12h", "1d", "3d", "7d", "14d", "3d+12h", "10d+1d"}

// clockOption reads the options clock and late of /play; what is not given is the server's.
func (b *Bot) clockOption(r *request) (storage.ClockRule, error) {
	rule := r.settings.Clock
	if typed := r.option("clock"); typed != "" {
		parsed, ok := parseClock(typed)
		if !ok {
			return rule, playerError{text.M("bot.error.clock", "Clock", typed)}
		}
		parsed.Late = rule.Late
		rule = parsed
	}
	if late := r.option("late"); late != "" {
		rule.Late = lateOf(late)
	}
	if rule.Mode == storage.NoClock {
		rule = storage.ClockRule{}
	}
	return rule, nil
}

// lateOptions are the choices of what becomes of who is late, as options have them.
var lateOptions = []string{"computer", "offer", "forfeit"}

func lateOf(option string) storage.Late {
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

// parseClock reads "none", a time for each move ("12h", "3d"), or a bank with what each move adds ("3d+12h").
func parseClock(s string) (storage.ClockRule, bool) {
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

// parseDuration reads days and hours: "3d", "12h", "1d12h"; "0" too.
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

// spellClock is the text that parseClock reads.
func spellClock(r storage.ClockRule) string {
	spell := func(ms int64) string {
		h := ms / time.Hour.Milliseconds()
		switch {
		case h%24 == 0 && h > 0:
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

// durationText says a time in days, hours and minutes, the two greatest of them.
func durationText(d time.Duration) text.Message {
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

// clockText says a clock and what becomes of who is late.
func clockText(r storage.ClockRule) text.Message {
	late := text.M("bot.late." + optionOf(r.Late))
	ms := func(n int64) text.Message { return durationText(time.Duration(n) * time.Millisecond) }
	switch r.Mode {
	case storage.PerMove:
		return text.M("bot.clock.move", "Time", ms(r.Time), "Late", late)
	case storage.Bank:
		if r.Late != storage.LateForfeit && r.Add < table.Overtime.Milliseconds() {
			return text.M("bot.clock.bank-overtime", "Time", ms(r.Time), "Add", ms(r.Add), "Overtime", durationText(table.Overtime), "Late", late)
		}
		return text.M("bot.clock.bank", "Time", ms(r.Time), "Add", ms(r.Add), "Late", late)
	}
	return text.M("bot.clock.none")
}

// turnLine says whose turn it is.
func (b *Bot) turnLine(snap *table.Snapshot, s *locale.Speaker) string {
	if departed(snap.Holder(snap.ToMove)) {
		return s.Say(text.M("bot.turn-nobody"))
	}
	return s.Say(text.M("bot.turn", "Who", text.Player(snap.ToMove)))
}

// clockLines say until when the player to move has time.
func (b *Bot) clockLines(ctx context.Context, snap *table.Snapshot, s *locale.Speaker) []string {
	at, running, err := b.tables.Deadline(ctx, snap.Head)
	if err != nil || !running {
		return nil
	}
	line := s.Say(text.M("bot.clock.until", "When", fmt.Sprintf("<t:%d:f>", at.Unix()), "In", fmt.Sprintf("<t:%d:R>", at.Unix())))
	if snap.Timing.Rule.Mode == storage.Bank {
		var banks []text.Message
		for i := range snap.Seats {
			seat := games.Seat(i)
			if left, err := b.tables.Left(ctx, snap.Head, seat); err == nil && snap.In(seat) {
				id := "bot.clock.left"
				if table.InOvertime(snap.Timing, seat) {
					id = "bot.clock.left-overtime"
				}
				banks = append(banks, text.M(id, "Who", text.Player(seat), "Time", durationText(left)))
			}
		}
		line += " " + s.Say(text.M("bot.clock.banks", "Banks", banks))
	}
	return []string{"-# " + line}
}

// completeClock offers clocks.
func (b *Bot) completeClock(_ context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	if r.focused != "clock" {
		return nil
	}
	typed := strings.ToLower(r.option("clock"))
	offers := offeredClocks
	if _, ok := parseClock(typed); ok {
		offers = append([]string{typed}, offers...)
	}
	var out []*discordgo.ApplicationCommandOptionChoice
	seen := map[string]bool{}
	for _, o := range offers {
		rule, _ := parseClock(o)
		name := o + " · " + r.say.Say(clockName(rule))
		if seen[o] || !strings.Contains(strings.ToLower(name), typed) {
			continue
		}
		seen[o] = true
		out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: clip(name, maxChoiceName), Value: o})
	}
	return out
}

// clockName says a clock alone.
func clockName(r storage.ClockRule) text.Message {
	ms := func(n int64) text.Message { return durationText(time.Duration(n) * time.Millisecond) }
	switch r.Mode {
	case storage.PerMove:
		return text.M("bot.clock.name-move", "Time", ms(r.Time))
	case storage.Bank:
		return text.M("bot.clock.name-bank", "Time", ms(r.Time), "Add", ms(r.Add))
	}
	return text.M("bot.clock.none")
}
