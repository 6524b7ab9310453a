package publish

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxUnsure is the maximum number of remembered messages whose outcome is unknown. The oldest are dropped first.
const maxUnsure = 1024

// unsure remembers the nonces of messages that were sent with a click's token, if it is unknown whether they were
// posted. Discord ignores the nonce of such a message, so the bot must search the channel before it posts the message
// again.
type unsure struct {
	mu     sync.Mutex
	latest *simplelru.LRU[string, struct{}]
}

func newUnsure() *unsure {
	latest, _ := simplelru.NewLRU[string, struct{}](maxUnsure, nil) // fails only for sizes below 1
	return &unsure{latest: latest}
}

func (u *unsure) add(nonce string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest.Add(nonce, struct{}{})
}

func (u *unsure) has(nonce string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.latest.Contains(nonce)
}
