package bot_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"marque/bot/localdiscord"
)

// openAPIVariable names Discord's public API description, against which every request of the bot is checked.
const openAPIVariable = "MARQUE_DISCORD_OPENAPI"

// description compiles the schemas of request bodies once they are needed.
type description struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	paths    map[string]any
	schemas  map[string]*jsonschema.Schema
	seen     map[[sha256.Size]byte]bool // what was checked before; the commands are the same in every test
}

// maxSeen bounds the requests that are remembered.
const maxSeen = 10_000

// unseen reports whether a request of this route and body was not checked before.
func (d *description) unseen(r localdiscord.Request) bool {
	sum := sha256.Sum256(slices.Concat([]byte(r.Method+" "+r.Route+" "), r.Body))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.seen[sum] {
		return false
	}
	if len(d.seen) >= maxSeen {
		clear(d.seen)
	}
	d.seen[sum] = true
	return true
}

const descriptionURL = "discord.json"

var loadDescription = sync.OnceValues(func() (*description, error) {
	file := os.Getenv(openAPIVariable)
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return nil, err
	}
	d := &description{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{},
		seen: map[[sha256.Size]byte]bool{}}
	d.paths = doc.(map[string]any)["paths"].(map[string]any)
	return d, d.compiler.AddResource(descriptionURL, doc)
})

// schema is the schema of a request's JSON body; nil when the description has none.
func (d *description) schema(method, route string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := method + " " + route
	if s, ok := d.schemas[key]; ok {
		return s, nil
	}
	var s *jsonschema.Schema
	var err error
	if op, ok := dig(d.paths, route, strings.ToLower(method), "requestBody", "content", "application/json",
		"schema"); ok && op != nil {
		pointer := descriptionURL + "#/paths/" + escapePointer(route) + "/" + strings.ToLower(method) +
			"/requestBody/content/application~1json/schema"
		s, err = d.compiler.Compile(pointer)
	}
	d.schemas[key] = s
	return s, err
}

func dig(v any, keys ...string) (any, bool) {
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[k]; !ok {
			return nil, false
		}
	}
	return v, true
}

func escapePointer(s string) string {
	s = strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
	return strings.NewReplacer("{", "%7B", "}", "%7D", "@", "%40").Replace(s)
}

// unforeseen are in refusals that nobody can know before: of what comes to a thread just after
// somebody archived it, and of one thread too many.
var unforeseen = [][]byte{[]byte(`"code":50083`), []byte(`"code":160006`)}

// validateRequest returns a hook that fails the test when the bot sends what Discord's description
// does not allow, or an answer refuses.
func validateRequest(t testing.TB) func(localdiscord.Request) {
	d, err := loadDescription()
	if err != nil {
		t.Fatalf("%s: %v", openAPIVariable, err)
	}
	return func(r localdiscord.Request) {
		if r.Status == http.StatusBadRequest && !slices.ContainsFunc(unforeseen, func(code []byte) bool {
			return bytes.Contains(r.Response, code)
		}) {
			t.Errorf("%s %s was refused: %s\n%s", r.Method, r.Path, r.Response, r.Body)
		}
		if d == nil || len(r.Body) == 0 || !d.unseen(r) {
			return
		}
		s, err := d.schema(r.Method, r.Route)
		if err != nil {
			t.Errorf("%s %s: %v", r.Method, r.Route, err)
			return
		}
		if s == nil {
			return
		}
		var body any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.Path, err)
			return
		}
		permissionsAsNumbers(body)
		if err := s.Validate(body); err != nil {
			t.Errorf("%s %s is not what Discord describes:\n%v\n%s", r.Method, r.Route, err, r.Body)
		}
	}
}

// permissionsAsNumbers writes the permissions of commands as the description wants them: Discord takes,
// and gives back, strings, but describes numbers.
func permissionsAsNumbers(body any) {
	const key = "default_member_permissions"
	commands, _ := body.([]any)
	for _, c := range commands {
		command, _ := c.(map[string]any)
		if bits, ok := command[key].(string); ok {
			if n, err := strconv.ParseInt(bits, 10, 64); err == nil {
				command[key] = float64(n)
			}
		}
	}
}

func TestRequestsAreCheckedAgainstDiscordsDescription(t *testing.T) {
	d, err := loadDescription()
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		t.Skipf("%s is not set, so the requests of these tests are checked by the local Discord alone", openAPIVariable)
	}
	s, err := d.schema(http.MethodPost, "/channels/{channel_id}/messages")
	if err != nil || s == nil {
		t.Fatalf("no schema for messages: %v", err)
	}
	if err := s.Validate(map[string]any{"content": 7}); err == nil {
		t.Error("a message whose content is a number is accepted")
	}
}
