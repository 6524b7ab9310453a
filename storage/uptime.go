package storage

// Span is a time from From up to and without To.
type Span struct {
	From Stamp `json:"f"`
	To   Stamp `json:"t"`
}

// Uptime says when the bot could be reached.
type Uptime struct {
	Alive Stamp  `json:"alive"`          // when the bot was last known to be up
	Down  []Span `json:"down,omitempty"` // when it was down, in order
}

// Removal is a server that the bot was removed from.
type Removal struct {
	Guild string `json:"guild"`
	At    Stamp  `json:"at"`
}
