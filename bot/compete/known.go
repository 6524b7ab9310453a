package compete

import "sync"

// mostKnown is how many competitions are in memory: a league of 400 takes about a megabyte.
const mostKnown = 32

// known are competitions in memory, as they were read or written last.
type known struct {
	mu   sync.Mutex
	list map[ID]Competition
}

// get is a competition, or, where it is not in memory, its server and number alone.
func (k *known) get(id ID) Competition {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, there := k.list[id]; there {
		return c
	}
	return Competition{Server: id.Server, Number: id.Number}
}

func (k *known) put(c Competition) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list == nil {
		k.list = map[ID]Competition{}
	}
	if _, there := k.list[c.ID()]; !there && len(k.list) >= mostKnown {
		for id := range k.list { // any of them
			delete(k.list, id)
			break
		}
	}
	k.list[c.ID()] = c
}

func (k *known) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.list)
}
