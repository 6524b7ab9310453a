package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"marque/bot/gateway"
	"marque/bot/rest"
	"marque/bot/web"
	"marque/config"
	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
)

const (
	// leastSpare is the minimum number of bytes that should be free. If spareShare times the size of the store is more,
	// that much should be free, because a compaction and a repair write the store to a second file.
	leastSpare = 256 << 20
	spareShare = 2
	// staleBackup is the age at which the alert MarqueBackupOld fires.
	staleBackup = 36 * time.Hour
)

type doctorCommand struct {
	Channel string `help:"Try out in this channel, with somebody who presses a button there, how boards are posted for players who use buttons. Stop the bot first." placeholder:"ID"`
}

// Run runs the checks and prints their findings. It returns an error if there is a fault.
func (c doctorCommand) Run(ctx context.Context, env environ, std streams) error {
	gateway.LogLibrary(slog.New(slog.DiscardHandler))
	cfg, unread := config.Load(".env", env)
	d := &doctor{cfg: cfg, dotenv: ".env", client: &http.Client{Transport: http.DefaultTransport,
		Timeout: rest.Timeout}, out: std.out, spare: leastSpare, channel: c.Channel}
	return d.examine(ctx, unread)
}

// doctor checks an installation, and says how to fix its faults.
type doctor struct {
	cfg     config.Config
	dotenv  string       // path of the file of settings
	client  *http.Client // for requests to Discord
	channel string       // id of the channel in which to test posting; "" for none
	out     io.Writer
	spare   uint64      // number of bytes that should be free
	trust   *tls.Config // root certificates for the browser page; nil for the machine's

	wrong int // number of faults found
}

// secrets returns the texts that no line may contain: the token, the client secret, the connection string of the
// database, and its password, encoded and decoded.
func (d *doctor) secrets() []string {
	list := []string{d.cfg.Token.Reveal(), d.cfg.ClientSecret.Reveal(), d.cfg.DatabaseURL.Reveal()}
	if u, err := url.Parse(d.cfg.DatabaseURL.Reveal()); err == nil && u.User != nil {
		password, _ := u.User.Password()
		list = append(list, password, url.QueryEscape(password), url.PathEscape(password))
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// say prints a finding as one line, without secrets.
func (d *doctor) say(verdict, about, format string, args ...any) {
	line := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	for _, secret := range d.secrets() {
		line = strings.ReplaceAll(line, secret, config.Secret(secret).String())
	}
	fmt.Fprintf(d.out, "%-6s %s: %s\n", verdict, about, line)
}

// fine prints that something is right, note prints something that the operator may want to know, and amiss prints a
// fault and how to fix it.
func (d *doctor) fine(about, format string, args ...any) { d.say("ok", about, format, args...) }
func (d *doctor) note(about, format string, args ...any) { d.say("note", about, format, args...) }
func (d *doctor) amiss(about, format string, args ...any) {
	d.wrong++
	d.say("wrong", about, format, args...)
}

// examine runs the checks, and returns an error if there is a fault. unread is the error of loading the configuration,
// or nil. After such an error it checks nothing else.
func (d *doctor) examine(ctx context.Context, unread error) error {
	b := thisBuild()
	d.fine("program", "marque %s, commit %s, %s/%s", b.Version, b.Commit, runtime.GOOS, runtime.GOARCH)
	if unread != nil {
		d.amiss("configuration", "%v", unread)
		return d.verdict()
	}
	d.configuration()
	d.folder("data folder", "MARQUE_DATA", d.cfg.Data)
	d.permissions()
	readable := d.store(ctx)
	d.backups(ctx)
	d.page(ctx)
	d.discord(ctx, readable)
	return d.verdict()
}

// page checks the browser page at its public address, if there is one.
func (d *doctor) page(ctx context.Context) {
	const about = "page"
	at := d.cfg.Page()
	if at == nil {
		return
	}
	conn, err := (&net.Dialer{Timeout: rest.Timeout}).DialContext(ctx, "tcp", d.cfg.Web)
	if err != nil {
		d.note(about, "the bot serves none at %s just now: let it run, and %s is tried, too", d.cfg.Web, at)
		return
	}
	conn.Close()
	if err := web.Check(ctx, at, activityOf(d.cfg), d.trust); err != nil {
		d.amiss(about, "%s: %v", at, err)
		return
	}
	d.fine(about, "%s is this program's, protected as it should be, and hears of changes at once", at)
}

func (d *doctor) verdict() error {
	if d.wrong == 0 {
		return nil
	}
	return fmt.Errorf("the doctor found %s wrong; each line above says what to do", plural(d.wrong, "thing"))
}

func (d *doctor) configuration() {
	from := "the environment; there is no .env in this folder"
	if !missing(d.dotenv) {
		from = ".env in this folder, and the environment"
	}
	on := "Discord"
	if d.cfg.Local() {
		on = "its local Discord, for want of a token"
	}
	d.fine("configuration", "read from %s; the bot runs on %s", from, on)
	if len(d.cfg.Unknown) > 0 {
		d.note("configuration", "no settings have the names %s: look whether they are misspelt, or take them away",
			strings.Join(d.cfg.Unknown, ", "))
	}
	if d.cfg.Metrics != "" && !d.cfg.MetricsAreLocal() {
		d.note("configuration",
			"other machines may reach MARQUE_METRICS, which asks for no password: let a firewall or the containers' network keep others away")
	}
}

// folder checks that files can be created in a folder, or in the nearest existing folder above it, and that enough
// space is free.
func (d *doctor) folder(about, variable, folder string) {
	at, made := folder, ""
	for missing(at) && filepath.Dir(at) != at {
		at, made = filepath.Dir(at), " (it is made at the first start)"
	}
	probe, err := os.CreateTemp(at, ".marque-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		d.amiss(about, "no file can be made in %s: %v; let this user write there, or choose another folder (%s)", at,
			because(err), variable)
		return
	}
	free, err := freeSpace(at)
	if err != nil {
		d.note(about, "%s can be written to%s; how much is free cannot be told: %v", folder, made, err)
		return
	}
	need := d.spare
	if info, err := os.Stat(d.cfg.Database()); err == nil {
		need = max(need, spareShare*uint64(info.Size()))
	}
	if free < need {
		d.amiss(about, "%d MB are free in %s, and %d MB should be: make room, or choose another folder (%s)", free>>20,
			folder, need>>20, variable)
		return
	}
	d.fine(about, "%s can be written to, and %d MB are free%s", folder, free>>20, made)
}

// because returns the system's error about a file without the path of the file.
func because(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// permissions checks whether other users can read files with secrets.
func (d *doctor) permissions() {
	if runtime.GOOS == "windows" {
		return // Windows has no file modes
	}
	looked, open := 0, 0
	for _, f := range []struct {
		path string
		own  os.FileMode
	}{{d.dotenv, 0o600}, {d.cfg.TokenFile, 0o600}, {d.cfg.Data, 0o700}, {d.cfg.Database(), 0o600},
		{d.cfg.Backups, 0o700}} {
		if f.path == "" || missing(f.path) {
			continue
		}
		looked++
		// A readable file is safe if other users cannot enter its folder.
		if isOpen(f.path) && (f.path != d.cfg.Database() || isOpen(d.cfg.Data)) {
			open++
			d.amiss("file permissions", "other users of this machine can get at %s: chmod %o %s", f.path, f.own, f.path)
		}
	}
	if open == 0 {
		d.fine("file permissions", "what is secret is closed to other users: %s", plural(looked, "place"))
	}
}

// store checks that the database is sound and has a known schema. It reports whether other checks can read the
// database.
func (d *doctor) store(ctx context.Context) (readable bool) {
	if d.cfg.DatabaseURL != "" {
		return d.server(ctx)
	}
	const about = "database"
	path := d.cfg.Database()
	if missing(path) {
		d.note(about,
			"there is no %s yet: the first start makes it; where one has been lost, \"marque database restore\" makes it of a copy", path)
		return false
	}
	err := checkFile(ctx, path, false)
	unsound := (*storage.UnsoundError)(nil)
	switch {
	case errors.Is(err, storage.ErrLocked):
		d.note(about, "a bot that runs has %s open, so it was not read as a whole; stop the bot for that", path)
		return true
	case errors.As(err, &unsound):
		d.amiss(about,
			"%s is damaged, %s, the first: %v; stop the bot, and \"marque database repair\" restores what it can from a copy",
			path, plural(len(unsound.Faults)+unsound.More, "fault"), unsound.Faults[0])
		return false
	case err != nil:
		d.amiss(about, "%v", err)
		return false
	}
	d.fine(about, "%s is sound, and of schema %d", path, storage.Schema)
	return true
}

// server checks the store on a database server, even while a bot runs. It reports whether other checks can read the
// store.
func (d *doctor) server(ctx context.Context) (readable bool) {
	const about = "database"
	store, err := peekServer(ctx, d.cfg.DatabaseURL.Reveal())
	if err != nil {
		d.amiss(about, "%v", err)
		return false
	}
	defer store.Close()
	err = store.Check(ctx)
	unsound := (*storage.UnsoundError)(nil)
	switch {
	case errors.As(err, &unsound):
		d.amiss(about, "%s is damaged, %s, the first: %v; restore a backup of the server's",
			storeName(d.cfg), plural(len(unsound.Faults)+unsound.More, "fault"), unsound.Faults[0])
		return false
	case err != nil:
		d.amiss(about, "%v", err)
		return false
	}
	d.fine(about, "%s is sound, and of schema %d", storeName(d.cfg), storage.Schema)
	if leases, ok := store.engine.(rosterer); ok {
		d.shards(ctx, leases)
	}
	return true
}

// rosterer is an engine with leases, which record which process serves which shard.
type rosterer interface {
	Roster(ctx context.Context) (kv.Roster, error)
}

// shards checks that some process serves each shard, unless no process is running.
func (d *doctor) shards(ctx context.Context, store rosterer) {
	const about = "shards"
	roster, err := store.Roster(ctx)
	if err != nil {
		d.note(about, "not looked at: %v", err)
		return
	}
	has := map[string]int{}
	for _, l := range roster.Leases {
		has[l.Owner]++
	}
	each := make([]string, len(roster.Members))
	for i, m := range roster.Members {
		each[i] = fmt.Sprint(has[m])
	}
	switch {
	case len(roster.Members) == 0:
		d.fine(about, "no process of a bot lives in this database now")
	case has[""] > 0:
		d.amiss(about,
			"nobody serves %d of %d, and the processes that live have %s of them: look again in a minute, and then into the logs of all processes",
			has[""], roster.Shards, strings.Join(each, ", "))
	default:
		d.fine(about, "each of %d is served; the processes that live have %s of them", roster.Shards,
			strings.Join(each, ", "))
	}
}

// backups checks the copies of the database, MARQUE_BACKUP_HOOK, and the list of deletions.
func (d *doctor) backups(ctx context.Context) {
	const about = "backups"
	if d.cfg.Backups == "" {
		d.note(about, "none are made: MARQUE_BACKUPS names a folder for them")
		return
	}
	d.folder("backups' folder", "MARQUE_BACKUPS", d.cfg.Backups)
	k := newCopies(keeper{}, d.cfg.Database(), d.cfg.Backups, nil)
	list, err := k.list()
	switch {
	case err != nil:
		d.amiss(about, "the copies in %s cannot be listed: %v; let this user read the folder (MARQUE_BACKUPS)",
			d.cfg.Backups, because(err))
		return
	case len(list) == 0 && missing(d.cfg.Database()):
		d.note(about, "there is none yet, for there is no database")
	case len(list) == 0:
		d.amiss(about,
			"there is none in %s: a bot that runs makes one a day at least, the first when it is ready; its log says why it did not", d.cfg.Backups)
	default:
		d.latest(ctx, list)
	}
	if _, err := k.deleted.list(); err != nil {
		d.amiss(about, "%v", err)
	}
	d.hook(list)
}

// latest checks that the latest copy is recent and sound.
func (d *doctor) latest(ctx context.Context, list []backupCopy) {
	const about = "backups"
	file := filepath.Join(d.cfg.Backups, list[0].name)
	age := time.Since(list[0].at)
	unsound := (*storage.UnsoundError)(nil)
	switch err := checkFile(ctx, file, true); {
	case errors.As(err, &unsound) && list[0].damaged:
		d.amiss(about,
			"the database was damaged when its latest copy, %s, was made: stop the bot, \"marque database check\", then \"marque database repair\"", file)
	case err != nil:
		d.amiss(about,
			"the latest copy, %s, is not sound: %v; remove it, and a bot that runs makes another within an hour", file,
			reason(err))
	case age > staleBackup:
		d.amiss(about,
			"the latest copy, %s, is %d hours old: a bot that runs makes one a day at least; its log says why it did not", file, int(age.Hours()))
	default:
		sound := len(slices.DeleteFunc(slices.Clone(list), func(c backupCopy) bool { return c.damaged }))
		d.fine(about, "the latest copy, %s, is %d hours old and sound; there are %d", file, int(age.Hours()), sound)
	}
}

// reason returns what is wrong with a file, without the advice that a database error has.
func reason(err error) error {
	var at *bolt.FileError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// hook checks that MARQUE_BACKUP_HOOK, if set, can be run, and that it has carried off the copy of the latest day.
func (d *doctor) hook(list []backupCopy) {
	const about = "backups' hook"
	c := newCarrier(d.cfg.BackupHook, d.cfg.Database(), d.cfg.Backups)
	if c == nil {
		return
	}
	if _, err := exec.LookPath(c.program); err != nil {
		d.amiss(about, "%s cannot be run: %v; MARQUE_BACKUP_HOOK is the path of a program that this user may run",
			c.program, because(errors.Unwrap(err)))
		return
	}
	copied, ok := carriedOff(list)
	if !ok {
		d.note(about, "there is no copy yet that it could carry off")
		return
	}
	if was, err := c.last(); err != nil || was.Copy != copied.name {
		d.amiss(about, "it has not carried off %s yet: run \"%s %s\" by hand to see why", copied.name, c.program,
			filepath.Join(d.cfg.Backups, copied.name))
		return
	}
	d.fine(about, "it has carried off the copy of the latest day")
}
