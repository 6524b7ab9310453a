package publish

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxUnsure bounds the remembered messages of which nobody knows whether they were posted; the latest are remembered.
const maxUnsure = 1024

// unsure remembers messages, by their nonces, that were sent with the token of a click and not
// answered for: Discord knows no nonce there, so they are looked for before they are posted again.
type unsure struct {
	mu     sync.Mutex
	latest *simplelru.LRU[string, struct{}]
}

func newUnsure() *unsure {
	latest, _ := simplelru.NewLRU[string, struct{}](maxUnsure, nil) // fails for sizes below 1 alone
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
