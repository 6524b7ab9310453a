package madagascar

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

var _ games.Refuser = state{}

func (s state) Refuse(typed string) (why games.Reason, ok bool) {
	t, read := deck.ReadTyped(typed)
	read = read && t.Freed == "" && (t.Place == 0 || t.From == 0)
	switch {
	case !read && typed != "pass":
		return games.Reason{}, false
	case typed == "pass":
		return games.Because("MD-2", "madagascar.refuse.pass"), true
	case t.From == 0:
		if why, ok := deck.Placing("MD-2", t.Place, deck.Hatches&^s.all().Hatches()); ok {
			return why, true
		}
		return games.Because("MD-2", "madagascar.refuse.no-reserve", "Color", text.Color(color(s.turn))), true
	case s.setup():
		return games.Because("MD-1", "madagascar.refuse.setup"), true
	}
	for _, n := range [2]int{t.From, max(t.To, 1)} {
		if why, ok := deck.NoSpace(n); ok {
			return why, true
		}
	}
	at := deck.Space(t.From - 1)
	from := s.towers[s.turn].On(at)
	switch {
	case s.all().On(at) == 0:
		return games.Because("MD-2", "madagascar.refuse.nobody", "Space", at.String()), true
	case from == 0:
		return games.Because("MD-2", "madagascar.refuse.theirs", "Space", at.String(),
			"Color", text.Color(color(s.stacks[at].top())), "Own", text.Color(color(s.turn))), true
	case t.To == 0 && s.reach(from.First(), s.all(), s.all().Spread()) != 0:
		return games.Because("MD-9", "madagascar.refuse.repeats"), true
	case t.To == 0:
		return games.Because("MD-3", "madagascar.refuse.stuck", "Space", at.String(), "Count", s.stacks[at].height()),
			true
	}
	return s.refuseWalk(from.First(), t), true
}

// refuseWalk returns the reason why the tower at from cannot walk as typed.
func (s state) refuseWalk(from deck.Stance, t deck.Typed) games.Reason {
	to, height, all := deck.Space(t.To-1), s.stacks[from.Space()].height(), s.all()
	empty := deck.AllStances&^all.Spread() | from.Set().Spread()
	if why, ok := deck.NoWalk("MD-3", from, height, to, empty); ok {
		return why
	}
	space, at := to.String(), all.On(to)&^from.Set()
	arrives := from.Walk(height, empty).On(to)
	switch {
	case at&s.towers[s.turn] != 0:
		return games.Because("MD-4", "madagascar.refuse.own", "Space", space)
	case at != 0 && at.First().Back() == deck.Sea:
		return games.Because("MD-4", "madagascar.refuse.sea", "Space", space)
	case at != 0 && arrives&at == 0:
		return games.Because("MD-4", "madagascar.refuse.behind", "Space", space, "Back", at.First().Back().String())
	case at != 0 && !t.Takes:
		return games.Because("MD-4", "madagascar.refuse.capture", "Space", space)
	case at == 0 && t.Takes:
		return games.Because("MD-4", "madagascar.refuse.no-capture", "Space", space)
	case height == 1 && t.By != 0:
		return games.Because("MD-3", "madagascar.refuse.one-step")
	}
	if at != 0 {
		arrives = at
	}
	var want text.Or
	for arrives != 0 {
		end := arrives.Take()
		switch repeats := s.repeats(walkMove(from.Space(), end)); {
		case repeats && (height == 1 || end.Back().Number() == t.By):
			return games.Because("MD-9", "madagascar.refuse.repeats")
		case !repeats:
			want = append(want, text.Raw("<"+end.Back().String()))
		}
	}
	if len(want) == 0 {
		return games.Because("MD-9", "madagascar.refuse.repeats")
	}
	return games.Because("MD-3", "madagascar.refuse.arrives", "Space", space, "Want", want)
}
