// Package page serves the web page of the local Discord, on which one person plays all users, and the interface under
// /local/ for the page's scripts.
package page

import (
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"strconv"
)

//go:embed static
var static embed.FS

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-src http://*.discordsays.localhost:*; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// MaxRequest is the maximum size of a request of the page, in bytes.
const MaxRequest = 25 << 20

// World is the page's access to the world. Methods with a user act as that user: they show only what the user can see,
// and refuse actions that the user cannot perform. Errors are messages for the page's user.
type World interface {
	State(user string) State
	Channel(user, channel string) (Channel, error)
	// Command uses a command, or requests the choices of an option if Focus names one.
	Command(ctx context.Context, c Command) (Answer, error)
	// Menu chooses a command in the context menu of a user or of a message, or an Entry Point, which has no target.
	Menu(ctx context.Context, user, channel, name, target string) (Answer, error)
	// Component presses a button, if values is nil, or chooses values from a menu.
	Component(ctx context.Context, user, message, customID string, values []string) (Answer, error)
	// Modal submits the modal that answered an interaction.
	Modal(ctx context.Context, user, interaction string, values map[string]any) (Answer, error)
	// Say posts a user's message in a channel and returns its id.
	Say(user, channel, content string) (id string, err error)
	Dismiss(user, message string) error
	SetLocale(user, locale string) error
	// Install sets whether a user has installed the application for themselves.
	Install(user string, on bool) error
	// DM returns the id of the channel for direct messages of a user and the bot, which it opens if necessary.
	DM(user string) (id string, err error)
	MarkRead(user, channel string) error
	// Authorize accepts an Activity's AUTHORIZE command for a user, and returns a code.
	Authorize(user string, asked map[string]any) (code string, err error)
	// Picture returns the PNG picture of the starter with an index.
	Picture(ctx context.Context, starter int) ([]byte, error)
	// Leave closes a user's frame of an Activity's instance.
	Leave(user, instance string)
}

// ErrFile is returned for a file that cannot be read.
var ErrFile = errors.New("the file cannot be read")

// Command is a command line that a user types in the page. A value of an option or of a modal's input is a string, a
// bool, a number, a []string, a File or a []File.
type Command struct {
	User, Channel, Line, Focus string
	Values                     map[string]any
}

// File is a user's attachment.
type File struct {
	Name, ContentType string
	Data              []byte
}

// Answer is the outcome of an interaction. It has Failed, or Discord's type of the first answer with its modal or its
// choices.
type Answer struct {
	ID      string `json:"id"`
	Failed  bool   `json:"failed"`
	Type    int    `json:"answer"`
	Modal   any    `json:"modal"`
	Choices any    `json:"choices"`
	Frame   *Frame `json:"frame,omitempty"` // frame of the Activity that was opened
}

// Frame describes the frame in which the page shows an instance of an Activity.
type Frame struct {
	URL         string `json:"url"`
	ID          string `json:"id"`
	Instance    string `json:"instance"`
	Application string `json:"application"`
	Opaque      bool   `json:"opaque"` // the frame's origin is opaque
}

// State is the part of the world that one user sees, without messages.
type State struct {
	Me        string    `json:"me"`
	Bot       string    `json:"bot"`
	Connected bool      `json:"connected"` // whether the bot has a gateway connection
	Users     []User    `json:"users"`
	Guilds    []Guild   `json:"guilds"`
	DMs       []Entry   `json:"dms"`
	Locales   []string  `json:"locales"`
	Starters  []Starter `json:"starters"`
}

// Starter is a command that an empty channel offers below a title, to be used with one click.
type Starter struct {
	Title   string         `json:"title"`
	Label   string         `json:"label"`
	Command string         `json:"command"`
	Options map[string]any `json:"options"`
	Text    string         `json:"text"`    // a sentence beside the button; "" for none
	Picture bool           `json:"picture"` // whether a picture is beside the button
	Beside  []Starter      `json:"beside"`  // further buttons beside this one
}

// User is a person, or the bot.
type User struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Username  string `json:"username"`
	Bot       bool   `json:"bot"`
	Locale    string `json:"locale"`
	Installed bool   `json:"installed"` // whether the user has installed the application, for use on every server
	Pings     int    `json:"pings"`
}

// Guild is a server.
type Guild struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Bot      bool     `json:"bot"` // the bot is a member
	Channels []Entry  `json:"channels"`
	Members  []Member `json:"members"`
	Roles    []Role   `json:"roles"`
}

// Entry is a channel in a list.
type Entry struct {
	ID       string `json:"id"`
	Guild    string `json:"guild"`
	Name     string `json:"name"`
	Topic    string `json:"topic"`
	Parent   string `json:"parent"`
	Thread   bool   `json:"thread"`
	Archived bool   `json:"archived,omitempty"`
	Locked   bool   `json:"locked,omitempty"`
	Unread   bool   `json:"unread"`
	Pings    int    `json:"pings"`
}

// Member is a member of a server.
type Member struct {
	ID    string   `json:"id"`
	Owner bool     `json:"owner"`
	Roles []string `json:"roles"`
}

// Role is a role of a server.
type Role struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Color int    `json:"color"`
}

// Channel has the messages and commands that a user sees in a channel, in Discord's format.
type Channel struct {
	Messages any    `json:"messages"`
	Commands any    `json:"commands"`
	Menus    any    `json:"menus"` // commands of the context menus of users and messages, and Entry Points
	MaySend  bool   `json:"may_send"`
	Read     string `json:"read"` // id of the last message that the user has read
}

// server handles the page's requests.
type server struct {
	world World
	feed  *Feed
}

// New returns a handler for the page and its interface.
func New(world World, feed *Feed) http.Handler {
	s := &server{world, feed}
	mux := http.NewServeMux()
	mux.Handle("GET /", files())
	mux.HandleFunc("GET /local/state", s.state)
	mux.HandleFunc("GET /local/channel", s.channel)
	mux.HandleFunc("GET /local/picture/{starter}", s.picture)
	mux.Handle("GET /local/events", feed)
	for path, act := range map[string]action{
		"command":      s.command,
		"autocomplete": s.command,
		"menu":         s.menu,
		"component":    s.component,
		"modal":        s.modal,
		"say":          s.say,
		"dismiss":      s.dismiss,
		"locale":       s.locale,
		"read":         s.read,
		"install":      s.install,
		"dm":           s.dm,
		"authorize":    s.authorize,
		"leave":        s.leave,
	} {
		mux.Handle("POST /local/"+path, act)
	}
	return mux
}

// files serves the page itself.
func files() http.Handler {
	root, _ := fs.Sub(static, "static") // the folder is part of the binary
	server := http.FileServerFS(root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		server.ServeHTTP(w, r)
	})
}

func (s *server) state(w http.ResponseWriter, r *http.Request) {
	write(w, http.StatusOK, s.world.State(r.URL.Query().Get("user")))
}

func (s *server) channel(w http.ResponseWriter, r *http.Request) {
	c, err := s.world.Channel(r.URL.Query().Get("user"), r.URL.Query().Get("channel"))
	if err != nil {
		write(w, http.StatusNotFound, failure{err.Error()})
		return
	}
	write(w, http.StatusOK, c)
}

// picture serves a starter's picture. Browsers keep it for a while, because the page shows it whenever it is redrawn.
func (s *server) picture(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(r.PathValue("starter"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	png, err := s.world.Picture(r.Context(), i)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=600")
	w.Write(png)
}

func (s *server) command(ctx context.Context, f form) (any, error) {
	values, err := f.values()
	if err != nil {
		return nil, err
	}
	return s.world.Command(ctx, Command{User: f.User, Channel: f.Channel, Line: f.Name, Focus: f.Focus, Values: values})
}

func (s *server) menu(ctx context.Context, f form) (any, error) {
	return s.world.Menu(ctx, f.User, f.Channel, f.Name, f.Message)
}

func (s *server) component(ctx context.Context, f form) (any, error) {
	return s.world.Component(ctx, f.User, f.Message, f.CustomID, f.Values)
}

func (s *server) modal(ctx context.Context, f form) (any, error) {
	values, err := f.values()
	if err != nil {
		return nil, err
	}
	return s.world.Modal(ctx, f.User, f.Interaction, values)
}

func (s *server) say(_ context.Context, f form) (any, error) {
	id, err := s.world.Say(f.User, f.Channel, f.Content)
	return map[string]string{"id": id}, err
}

func (s *server) dismiss(_ context.Context, f form) (any, error) {
	return struct{}{}, s.world.Dismiss(f.User, f.Message)
}

func (s *server) locale(_ context.Context, f form) (any, error) {
	return struct{}{}, s.world.SetLocale(f.User, f.Name)
}

func (s *server) read(_ context.Context, f form) (any, error) {
	return struct{}{}, s.world.MarkRead(f.User, f.Channel)
}

func (s *server) install(_ context.Context, f form) (any, error) {
	return struct{}{}, s.world.Install(f.User, f.On)
}

func (s *server) dm(_ context.Context, f form) (any, error) {
	id, err := s.world.DM(f.User)
	return map[string]string{"id": id}, err
}

func (s *server) authorize(_ context.Context, f form) (any, error) {
	code, err := s.world.Authorize(f.User, f.Options)
	return map[string]string{"code": code}, err
}

func (s *server) leave(_ context.Context, f form) (any, error) {
	s.world.Leave(f.User, f.Name)
	return struct{}{}, nil
}

// action carries out a POST request of the page. The request has JSON, and does not come from another site.
type action func(ctx context.Context, f form) (any, error)

var crossOrigin = http.NewCrossOriginProtection()

// ServeHTTP reads the form, carries out the action and answers.
func (act action) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if crossOrigin.Check(r) != nil || !isJSON(r) {
		write(w, http.StatusForbidden, failure{"This is for the page itself."})
		return
	}
	var f form
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxRequest)).Decode(&f); err != nil {
		write(w, http.StatusBadRequest, failure{"The request cannot be read."})
		return
	}
	answer, err := act(r.Context(), f)
	if err != nil {
		write(w, http.StatusUnprocessableEntity, failure{err.Error()})
		return
	}
	write(w, http.StatusOK, answer)
}

// form has the fields of a request of the page. The path determines which fields are used.
type form struct {
	User        string         `json:"user"`
	Channel     string         `json:"channel"`
	Message     string         `json:"message"`
	Interaction string         `json:"interaction"`
	Name        string         `json:"name"`
	Focus       string         `json:"focus"`
	CustomID    string         `json:"custom_id"`
	Values      []string       `json:"values"`
	Content     string         `json:"content"`
	On          bool           `json:"on"`
	Options     map[string]any `json:"options"`
}

// values decodes the values of a form. A file is an object. The files of a modal are in arrays, like the choices of a
// menu.
func (f form) values() (map[string]any, error) {
	out := map[string]any{}
	for name, v := range f.Options {
		switch v := v.(type) {
		case map[string]any:
			file, err := readFile(v)
			if err != nil {
				return nil, err
			}
			out[name] = file
		case []any:
			chosen, files := []string{}, []File(nil)
			for _, e := range v {
				switch e := e.(type) {
				case string:
					chosen = append(chosen, e)
				case map[string]any:
					file, err := readFile(e)
					if err != nil {
						return nil, err
					}
					files = append(files, file)
				}
			}
			if out[name] = chosen; files != nil {
				out[name] = files
			}
		case nil:
		default:
			out[name] = v
		}
	}
	return out, nil
}

// readFile reads a file in the form {"name", "type", "data"}, with data in base64.
func readFile(v map[string]any) (File, error) {
	name, _ := v["name"].(string)
	kind, _ := v["type"].(string)
	data, _ := v["data"].(string)
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || name == "" {
		return File{}, ErrFile
	}
	return File{Name: name, ContentType: kind, Data: raw}, nil
}

type failure struct {
	Error string `json:"error"`
}

func write(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(raw)
}

// isJSON reports whether a request has JSON as its content type, which another site's form cannot send.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
