package storage

import "slices"

// Restoration is a time at which the file was a copy again. What was stored between the copy and the restoration is lost.
type Restoration struct {
	At    Stamp `json:"at"`    // when it was restored
	Until Stamp `json:"until"` // of the latest that the copy knows of
	// Tables with these numbers, without Upto, may have been opened meanwhile; none of these numbers is given again.
	From ID `json:"from"`
	Upto ID `json:"upto"`
}

// LostBy is the restoration by which a table may be lost.
func LostBy(list []Restoration, id ID) (Restoration, bool) {
	i := slices.IndexFunc(list, func(r Restoration) bool { return r.From <= id && id < r.Upto })
	if i < 0 {
		return Restoration{}, false
	}
	return list[i], true
}
