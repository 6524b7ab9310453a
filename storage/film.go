package storage

// Film is a game that is over and waits for its replay.
type Film struct {
	Table ID
	Tries int // how often it was put off
}
