package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// oldAge is the age above which edits of a message have a separate limit. Source: Discord's documentation, topic
// "Opcodes and Status Codes", section "JSON", code 30046.
const oldAge = time.Hour

// OldEditsError says that Discord accepts no edits of messages older than an hour in a channel for the time Pause. New
// messages and edits of younger messages are accepted.
type OldEditsError struct{ Pause time.Duration }

func (e *OldEditsError) Error() string {
	return fmt.Sprintf("Discord takes no edits of old messages in the channel for %v", e.Pause)
}

// tooOld returns an *OldEditsError for an edit that Discord would refuse because its message is too old.
func (b *Budget) tooOld(q *http.Request) error {
	parts := strings.Split(q.URL.Path, "/") // /api/v10/channels/1/messages/2
	if q.Method != http.MethodPatch || len(parts) != 7 || parts[3] != "channels" || parts[5] != "messages" {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	if until := b.old[parts[4]]; now.Before(until) && now.Sub(madeAt(path.Base(q.URL.Path))) > oldAge {
		return &OldEditsError{until.Sub(now)}
	}
	return nil
}

// madeAt returns the time at which a snowflake id was created. Source: Discord's documentation, topic "Reference",
// section "Snowflakes".
func madeAt(id string) time.Time {
	const epoch = 1420070400000
	n, _ := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(n>>22 + epoch)
}

// codeIn returns Discord's error code in the body of an answer, or 0 if there is none.
func codeIn(body []byte) int {
	var said struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(body, &said) != nil {
		return 0
	}
	return said.Code
}
