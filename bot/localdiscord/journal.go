package localdiscord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// What is kept lies in three places: the state file, with the whole world at one moment; the
// journal beside it, with a line for each change since; and a folder with the attachments. A change
// is answered for once its line has been handed to the operating system, so a process that is
// killed loses nothing of it. (A machine that loses power may lose the last few.) A line that was
// cut off at the journal's end is dropped. Now and then a new state file is written and the journal
// begun anew; the journal names the state file that it belongs to by number.

const (
	stateVersion = 2        // 1 had neither number nor checksum, and no journal
	journalLimit = 4 << 20  // bytes after which a new state file is written
	recentLimit  = 32 << 20 // bytes of attachments after which it is
)

// savedState is the whole world. Ephemeral messages are not kept, as on Discord.
type savedState struct {
	LastID   int64                        `json:"last_id,string"`
	Users    []*user                      `json:"users"`
	Guilds   []*guild                     `json:"guilds"`
	Channels []*channel                   `json:"channels"`
	Commands map[string][]*command        `json:"commands"`
	Reads    map[string]map[string]string `json:"reads"`
}

// stateFile is the state file: the number counts how often it was written.
type stateFile struct {
	Version  int             `json:"version"`
	Number   uint64          `json:"number"`
	Checksum string          `json:"checksum"`
	State    json.RawMessage `json:"state"`
}

// entry is one line of the journal: what something is like now, or that it is gone.
type entry struct {
	Number uint64 `json:"number,omitempty"` // of the state file; the first line has nothing else

	LastID      int64             `json:"last_id,string,omitempty"`
	User        *user             `json:"user,omitempty"`
	Guild       *guild            `json:"guild,omitempty"`
	Channel     *channel          `json:"channel,omitempty"` // without its messages
	Message     *message          `json:"message,omitempty"`
	Commands    *registration     `json:"commands,omitempty"`
	Read        *readMark         `json:"read,omitempty"`
	GoneChannel string            `json:"gone_channel,omitempty"`
	GoneMessage *messageReference `json:"gone_message,omitempty"`
}

// registration are the commands of a server, "" for global ones.
type registration struct {
	Scope string     `json:"scope"`
	List  []*command `json:"list"`
}

type readMark struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	Message string `json:"message"`
}

// DamagedError says that what the local Discord has kept cannot be understood.
type DamagedError struct {
	StateFile string // Options.StateFile
	File      string // the file that is damaged
	Err       error  // what is wrong with it
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the local Discord's messages cannot be read: %s is damaged (%v). "+
		"Move %s, %s and %s away to begin with an empty local Discord; games are kept elsewhere and are not lost",
		e.File, e.Err, e.StateFile, journalOf(e.StateFile), filesOf(e.StateFile))
}

// Unwrap returns what is wrong with the file.
func (e *DamagedError) Unwrap() error { return e.Err }

func journalOf(stateFile string) string { return stateFile + ".journal" }
func filesOf(stateFile string) string   { return stateFile + ".files" }
func recentOf(stateFile string) string  { return filepath.Join(filesOf(stateFile), "recent") }

// newSuffix begins the random end of the names of files that are being written.
const newSuffix = ".new-"

// journal keeps the changes of a world.
type journal struct {
	path string
	hub  *hub
	log  *slog.Logger

	mu      sync.Mutex // guards what waits to be written; taken under the hub's lock
	lines   []byte
	uploads []byte
	known   map[string]bool // attachments that are written or wait to be

	writing    sync.Mutex // guards the files; held while writing, never taken under the hub's lock
	file       *os.File
	recent     *os.File
	number     uint64
	size       int64
	recentSize int64
	failing    bool // the last write failed: only a new state file will do
	closed     bool

	storing sync.Mutex      // guards the folder
	stored  map[string]bool // attachments that have files of their own

	full    chan struct{} // asks for a new state file
	stop    chan struct{}
	stopped chan struct{}
}

func newJournal(path string, h *hub, log *slog.Logger) *journal {
	return &journal{path: path, hub: h, log: log, known: map[string]bool{}, stored: map[string]bool{},
		full: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{})}
}

// add queues a line; the next flush writes it. The caller holds the hub's lock.
func (j *journal) add(e entry) {
	line := encodeLine(mustJSON(e))
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line...)
	if e.Message == nil {
		return
	}
	for _, a := range e.Message.Attachments {
		if f, ok := j.hub.state.files.get(a.ID); ok && !j.known[a.ID] {
			j.known[a.ID] = true
			j.uploads = appendUpload(j.uploads, a.ID, f.data)
		}
	}
}

// flush returns once everything that was added before the call is with the operating system. A
// failure is logged: the world goes on, and a new state file is tried with every further change.
func (j *journal) flush() {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.mu.Lock()
	lines, uploads := j.lines, j.uploads
	if len(lines) == 0 || j.closed {
		j.mu.Unlock()
		return
	}
	j.lines, j.uploads = nil, nil
	j.mu.Unlock()
	if j.failing {
		j.report(j.compact())
		return
	}
	n, err := j.recent.Write(uploads)
	j.recentSize += int64(n)
	if err == nil {
		n, err = j.file.Write(lines)
		j.size += int64(n)
	}
	if err != nil {
		j.report(err)
		return
	}
	if j.isFull() {
		select {
		case j.full <- struct{}{}:
		default:
		}
	}
}

func (j *journal) isFull() bool { return j.size > journalLimit || j.recentSize > recentLimit }

// report notes whether writing works, and logs it when that has changed.
func (j *journal) report(err error) {
	switch {
	case err != nil && !j.failing:
		j.log.Error("what happens in the local Discord is not kept: its files cannot be written", "error", err)
	case err == nil && j.failing:
		j.log.Info("the local Discord is kept again")
	}
	j.failing = err != nil
}

// storeFiles gives attachments files of their own.
func (j *journal) storeFiles(files map[string][]byte) error {
	j.storing.Lock()
	defer j.storing.Unlock()
	for id, data := range files {
		if j.stored[id] {
			continue
		}
		if err := os.WriteFile(filepath.Join(filesOf(j.path), id), data, 0o600); err != nil {
			return err
		}
		j.stored[id] = true
	}
	return nil
}

// compact writes a new state file and begins the journal anew. The caller holds j.writing.
func (j *journal) compact() error {
	j.hub.mu.Lock()
	raw, wanted := save(j.hub.state)
	j.mu.Lock()
	j.lines, j.uploads = nil, nil // the state has it all
	clear(j.known)
	for id := range wanted {
		j.known[id] = true
	}
	j.mu.Unlock()
	j.hub.mu.Unlock()

	if err := j.storeFiles(wanted); err != nil {
		return err
	}
	number := j.number + 1
	file, err := json.Marshal(stateFile{Version: stateVersion, Number: number, Checksum: checksum(raw), State: raw})
	if err != nil {
		return err
	}
	if err := writeAtomically(j.path, file); err != nil {
		return err
	}
	// From here on the old journal is of no use, for it does not belong to this state file.
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
	first := encodeLine(mustJSON(entry{Number: number}))
	if err := writeAtomically(journalOf(j.path), first); err != nil {
		return err
	}
	if j.file, err = os.OpenFile(journalOf(j.path), os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return err
	}
	if err := j.beginRecent(); err != nil {
		return err
	}
	j.number, j.size = number, int64(len(first))
	j.removeUnwanted(wanted)
	return nil
}

// beginRecent empties the file of the latest attachments.
func (j *journal) beginRecent() (err error) {
	j.recentSize = 0
	if j.recent != nil {
		return j.recent.Truncate(0)
	}
	j.recent, err = os.OpenFile(recentOf(j.path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	return err
}

// removeUnwanted removes the files of attachments that are in no message any more.
func (j *journal) removeUnwanted(wanted map[string][]byte) {
	j.storing.Lock()
	defer j.storing.Unlock()
	for id := range j.stored {
		if wanted[id] == nil {
			os.Remove(filepath.Join(filesOf(j.path), id))
			delete(j.stored, id)
		}
	}
}

// open loads what was kept into the hub's state, and begins a new state file and journal.
func (j *journal) open() error {
	folder := filepath.Dir(j.path)
	if err := errors.Join(os.MkdirAll(filesOf(j.path), 0o700), removeUnfinished(folder, filepath.Base(j.path)), removeUnfinished(filesOf(j.path), "")); err != nil {
		return fmt.Errorf("the local Discord's files cannot be used: %w", err)
	}
	there, err := os.ReadDir(filesOf(j.path))
	if err != nil {
		return fmt.Errorf("the local Discord's files cannot be used: %w", err)
	}
	for _, e := range there {
		if e.Name() != filepath.Base(recentOf(j.path)) {
			j.stored[e.Name()] = true
		}
	}
	if err := j.load(); err != nil {
		return err
	}
	j.writing.Lock()
	err = j.compact()
	j.writing.Unlock()
	if err != nil {
		return fmt.Errorf("the local Discord's files cannot be written: %w", err)
	}
	go func() {
		defer close(j.stopped)
		for {
			select {
			case <-j.full:
				j.renew()
			case <-j.stop:
				return
			}
		}
	}()
	return nil
}

// renew writes a new state file. Most attachments get their files before anybody has to wait.
func (j *journal) renew() {
	j.hub.mu.Lock()
	_, wanted := save(j.hub.state)
	j.hub.mu.Unlock()
	err := j.storeFiles(wanted)
	j.writing.Lock()
	defer j.writing.Unlock()
	if err == nil && j.isFull() {
		err = j.compact()
	}
	if err != nil || j.failing {
		j.report(err)
	}
}

// close writes what is not written yet.
func (j *journal) close() error {
	close(j.stop)
	<-j.stopped
	j.writing.Lock()
	defer j.writing.Unlock()
	j.closed = true
	err := j.compact()
	for _, f := range []*os.File{j.file, j.recent} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// load reads the state file and the journal; the world stays as it is if there is no state file.
func (j *journal) load() error {
	raw, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the local Discord's messages cannot be read: %w", err)
	}
	saved, number, err := decodeState(raw)
	if err != nil {
		return &DamagedError{j.path, j.path, err}
	}
	j.number = number
	lines, err := os.ReadFile(journalOf(j.path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the local Discord's messages cannot be read: %w", err)
	}
	entries, err := decodeJournal(lines, number)
	if err != nil {
		return &DamagedError{j.path, journalOf(j.path), err}
	}
	j.hub.mu.Lock()
	defer j.hub.mu.Unlock()
	if err := restore(j.hub.state, saved, entries); err != nil {
		return &DamagedError{j.path, j.path, err}
	}
	missing, err := loadFiles(j.hub.state, j.path)
	if missing > 0 {
		j.log.Warn("pictures are missing in the local Discord", "number", missing)
	}
	return err
}

// decodeState reads a state file of any version.
func decodeState(raw []byte) (*savedState, uint64, error) {
	var f stateFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, 0, err
	}
	body := []byte(f.State)
	switch {
	case f.Version == 1:
		body = raw
	case f.Version != stateVersion:
		return nil, 0, fmt.Errorf("its version is %d; this program knows those up to %d", f.Version, stateVersion)
	case f.Checksum != checksum(f.State):
		return nil, 0, errors.New("its checksum is wrong")
	}
	var saved savedState
	if err := json.Unmarshal(body, &saved); err != nil {
		return nil, 0, err
	}
	return &saved, f.Number, nil
}

// decodeJournal reads the lines of a journal that belongs to the state file with the number. What
// is wrong at its end was cut off and was not answered for; what is wrong before is an error.
func decodeJournal(raw []byte, number uint64) ([]entry, error) {
	var entries []entry
	var wrong error
	for n, line := range bytes.Split(raw, []byte{'\n'}) {
		if len(line) == 0 {
			continue
		}
		e, err := decodeLine(line)
		switch {
		case err != nil && n == 0:
			return nil, fmt.Errorf("line 1: %w", err)
		case err != nil && wrong == nil:
			wrong = fmt.Errorf("line %d: %w", n+1, err)
		case err == nil && wrong != nil:
			return nil, wrong
		case err == nil && n == 0 && e.Number != number:
			return nil, nil // of another state file, which has it all
		case err == nil && n > 0:
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// appendUpload appends an attachment as it stands in the file of the latest ones: a line with its
// id, length and checksum, then its bytes.
func appendUpload(to []byte, id string, data []byte) []byte {
	to = fmt.Appendf(to, "%s %d %s\n", id, len(data), checksum(data))
	return append(to, data...)
}

// readUploads reads the file of the latest attachments up to where it is cut off or wrong.
func readUploads(raw []byte) map[string][]byte {
	out := map[string][]byte{}
	for len(raw) > 0 {
		line, rest, _ := bytes.Cut(raw, []byte{'\n'})
		words := strings.Fields(string(line))
		if len(words) != 3 {
			return out
		}
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 0 || n > len(rest) || checksum(rest[:n]) != words[2] {
			return out
		}
		out[words[0]], raw = rest[:n:n], rest[n:]
	}
	return out
}

// encodeLine puts a checksum before a line.
func encodeLine(raw []byte) []byte {
	return slices.Concat([]byte(checksum(raw)), []byte{' '}, raw, []byte{'\n'})
}

func decodeLine(line []byte) (e entry, err error) {
	sum, raw, _ := bytes.Cut(line, []byte{' '})
	if string(sum) != checksum(raw) {
		return e, errors.New("the checksum is wrong")
	}
	return e, json.Unmarshal(raw, &e)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(raw []byte) string {
	return strconv.FormatUint(1<<32|uint64(crc32.Checksum(raw, castagnoli)), 16)[1:]
}

// writeAtomically writes a whole file for the owner alone, or leaves the one there is.
func writeAtomically(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// removeUnfinished removes what a killed process left of files that begin with the name.
func removeUnfinished(folder, name string) error {
	there, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range there {
		if strings.HasPrefix(e.Name(), name) && strings.Contains(e.Name(), newSuffix) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
		}
	}
	return err
}
