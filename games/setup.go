package games

import "slices"

// NewSetup returns a setup with defaults: if seats is 0, it is the minimum number of the game, and options that are not
// in chosen have their default values. It returns a *SetupError for a number of seats, an option or a value that g does
// not have.
func NewSetup(g Game, seats int, chosen ...Setting) (Setup, error) {
	least, most := g.Seats()
	if seats == 0 {
		seats = least
	}
	if seats < least || seats > most {
		return Setup{}, &SetupError{Game: g.Key(), Seats: seats, Least: least, Most: most}
	}
	setup := Setup{Seats: seats}
	var keys []string
	for _, o := range g.Options() {
		keys = append(keys, o.Key)
		setup.Options = append(setup.Options, Setting{o.Key, o.Values[0]})
	}
	for _, c := range chosen {
		i := slices.Index(keys, c.Key)
		if i < 0 {
			return Setup{}, &SetupError{Game: g.Key(), Option: c.Key, Want: keys}
		}
		if values := g.Options()[i].Values; !slices.Contains(values, c.Value) {
			return Setup{}, &SetupError{Game: g.Key(), Option: c.Key, Known: true, Value: c.Value, Want: values}
		}
		setup.Options[i].Value = c.Value
	}
	return setup, nil
}
