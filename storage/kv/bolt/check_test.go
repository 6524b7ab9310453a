package bolt

import (
	"encoding/binary"
	"testing"
)

// A space that is kept in its entry, rather than in pages of its own, is looked at only where all that
// it says is in it lies in the entry: the library would follow a place behind the end and end the program.
func TestASpaceInItsEntryDoesNotReachBehindIt(t *testing.T) {
	// of a space with one pair: root 0, a number, then a page: its number, kind, count and overflow,
	// an element with the place, and the lengths of "key" and "value"
	sound := make([]byte, 16+pageHeader+16+len("key")+len("value"))
	page := sound[16:]
	binary.NativeEndian.PutUint16(page[8:], leafPage)
	binary.NativeEndian.PutUint16(page[10:], 1)
	binary.NativeEndian.PutUint32(page[pageHeader+4:], 16)
	binary.NativeEndian.PutUint32(page[pageHeader+8:], uint32(len("key")))
	binary.NativeEndian.PutUint32(page[pageHeader+12:], uint32(len("value")))
	for what, damaged := range map[string]struct {
		at    int // byte of the entry that is overwritten
		by    byte
		holds bool
	}{
		"nothing":               {0, 0, true},
		"leads to another page": {0, 7, true},
		"another kind of page":  {16 + 8, branchPage, false},
		"more pairs":            {16 + 10, 2, false},
		"many more pairs":       {16 + 11, 0x40, false},
		"a place behind":        {16 + pageHeader + 4, 17, false},
		"a place far behind":    {16 + pageHeader + 7, 0x10, false},
		"a longer key":          {16 + pageHeader + 8, 4, false},
		"a value of a gigabyte": {16 + pageHeader + 15, 0x40, false},
	} {
		entry := append([]byte(nil), sound...)
		entry[damaged.at] |= damaged.by
		if got := holdsItsPage(entry); got != damaged.holds {
			t.Errorf("%s: %v, want %v", what, got, damaged.holds)
		}
	}
	for n := range len(sound) {
		if holdsItsPage(sound[:n]) {
			t.Errorf("the first %d of %d bytes are taken for whole", n, len(sound))
		}
	}
}
