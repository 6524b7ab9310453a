// Package openapi checks requests to Discord, its answers and its events against Discord's public description of its
// API, for tests. Without the description it accepts everything.
package openapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Variable is the environment variable with the path of the description, a JSON file.
const Variable = "MARQUE_DISCORD_OPENAPI"

// Description is Discord's description of its API. A nil Description accepts everything.
type Description struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	paths    map[string]any
	schemas  map[string]*jsonschema.Schema // compiled schemas by JSON pointer
	seen     map[[sha256.Size]byte]bool    // hashes of valid requests, because every test sends the same commands
}

// maxSeen is the maximum number of remembered requests.
const maxSeen = 10_000

const document = "discord.json"

// Load reads the description once, from the file that Variable names. It returns nil if Variable is not set.
var Load = sync.OnceValues(func() (*Description, error) {
	file := os.Getenv(Variable)
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
	d := &Description{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{},
		seen: map[[sha256.Size]byte]bool{}}
	d.paths, _ = doc.(map[string]any)["paths"].(map[string]any)
	return d, d.compiler.AddResource(document, doc)
})

// Request returns an error if the JSON body of a request does not fit the description. route is a template such as
// "/channels/{channel_id}/messages".
func (d *Description) Request(method, route string, body []byte) error {
	if d == nil || len(body) == 0 {
		return nil
	}
	sum := sha256.Sum256(slices.Concat([]byte(method+" "+route+" "), body))
	if d.known(sum) {
		return nil
	}
	value, err := decode(body)
	if err != nil {
		return err
	}
	permissionsAsNumbers(value)
	if err := d.operation(value, method, route, "requestBody"); err != nil {
		return err
	}
	d.note(sum)
	return nil
}

// Answer returns an error if Discord's JSON answer to a request does not fit the description. Refusals are checked
// against the schema of errors.
func (d *Description) Answer(method, route string, status int, body []byte) error {
	if d == nil || len(body) == 0 {
		return nil
	}
	value, err := decode(body)
	if status == http.StatusTooManyRequests && err != nil {
		return nil // a page from the proxy in front of Discord
	}
	if err != nil {
		return err
	}
	if status >= 400 {
		return d.Value("Error", value) // not ErrorResponse, which describes the text codes of field errors as numbers
	}
	return d.operation(value, method, route, "responses", strconv.Itoa(status))
}

// part is a part of an event: the path of its keys, separated by slashes, with "*" for every element, and its schema.
type part struct{ at, schema string }

// events lists the parts of gateway events for which the description has schemas.
var events = map[string][]part{
	"READY": {{"user", "UserResponse"}},
	"GUILD_CREATE": {{"", "GuildResponse"}, {"channels/*", "GuildChannelResponse"}, {"threads/*", "ThreadResponse"},
		{"members/*", "GuildMemberResponse"}},
	"GUILD_UPDATE":        {{"", "GuildResponse"}},
	"GUILD_ROLE_CREATE":   {{"role", "GuildRoleResponse"}},
	"GUILD_ROLE_UPDATE":   {{"role", "GuildRoleResponse"}},
	"GUILD_MEMBER_ADD":    {{"", "GuildMemberResponse"}},
	"GUILD_MEMBER_UPDATE": {{"user", "UserResponse"}},
	"GUILD_MEMBER_REMOVE": {{"user", "UserResponse"}},
	"CHANNEL_CREATE":      {{"", "GuildChannelResponse"}},
	"CHANNEL_UPDATE":      {{"", "GuildChannelResponse"}},
	"CHANNEL_DELETE":      {{"", "GuildChannelResponse"}},
	"THREAD_CREATE":       {{"", "ThreadResponse"}},
	"THREAD_UPDATE":       {{"", "ThreadResponse"}},
	"MESSAGE_CREATE":      {{"", "MessageResponse"}},
	"MESSAGE_UPDATE":      {{"", "MessageResponse"}},
	"INTERACTION_CREATE": {{"message", "MessageResponse"}, {"user", "UserResponse"}, {"member", "GuildMemberResponse"},
		{"data/resolved/users/*", "UserResponse"}, {"data/resolved/members/*", "BasicGuildMemberResponse"},
		{"data/resolved/roles/*", "GuildRoleResponse"}, {"data/resolved/messages/*", "MessageResponse"},
		{"data/resolved/attachments/*", "MessageAttachmentResponse"}},
}

// Event returns an error if the JSON content of a gateway event does not fit the description.
func (d *Description) Event(event string, content []byte) error {
	if d == nil || events[event] == nil {
		return nil
	}
	value, err := decode(content)
	if err != nil {
		return err
	}
	for _, p := range events[event] {
		var keys []string
		if p.at != "" {
			keys = strings.Split(p.at, "/")
		}
		for _, found := range at(value, keys) {
			if isMediaChannel(found) {
				continue
			}
			if err := d.Value(p.schema, found); err != nil {
				return fmt.Errorf("%s of %s: %w", p.at, event, err)
			}
		}
	}
	return nil
}

// isMediaChannel reports whether a value is a media channel. Discord documents its type 16, but the description lacks
// it.
func isMediaChannel(value any) bool {
	channel, ok := value.(map[string]any)
	return ok && fmt.Sprint(channel["type"]) == "16" && channel["permission_overwrites"] != nil
}

// Value returns an error if decoded JSON does not fit a named schema.
func (d *Description) Value(schema string, value any) error {
	if d == nil {
		return nil
	}
	s, err := d.schema("/components/schemas/" + schema)
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// operation checks JSON against the schema that an operation has under the keys, if it has one.
func (d *Description) operation(value any, method, route string, keys ...string) error {
	method = strings.ToLower(method)
	below := append([]string{route, method}, append(keys, "content", "application/json", "schema")...)
	if len(at(d.paths, below)) == 0 {
		return nil
	}
	pointer := "/paths"
	for _, key := range below {
		key = strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		pointer += "/" + strings.NewReplacer("{", "%7B", "}", "%7D", "@", "%40").Replace(key)
	}
	s, err := d.schema(pointer)
	if err != nil {
		return err
	}
	return s.Validate(value)
}

func (d *Description) schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(document + "#" + pointer)
	if err == nil {
		d.schemas[pointer] = s
	}
	return s, err
}

func (d *Description) known(sum [sha256.Size]byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen[sum]
}

func (d *Description) note(sum [sha256.Size]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) >= maxSeen {
		clear(d.seen)
	}
	d.seen[sum] = true
}

func decode(body []byte) (value any, err error) {
	err = json.Unmarshal(body, &value)
	return value, err
}

// at returns the values under the keys, where "*" means every element; none if a key is missing.
func at(value any, keys []string) []any {
	if len(keys) == 0 {
		return []any{value}
	}
	var found []any
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if keys[0] == key || keys[0] == "*" {
				found = append(found, at(below, keys[1:])...)
			}
		}
	case []any:
		for _, below := range v {
			found = append(found, at(below, keys[1:])...)
		}
	}
	return found
}

// permissionsAsNumbers converts the permissions of commands to the type in the description. Discord uses strings, but
// describes numbers.
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
