package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	_ "time/tzdata" // for machines without time zones: quiet hours and days are reckoned in them

	"marque/bot"
	"marque/bot/gateway"
	"marque/bot/incident"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/config"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage/bolt"
)

type runCommand struct{}

// Run runs the bot until it is told to stop by SIGINT or SIGTERM. A second signal ends it at once.
func (runCommand) Run(ctx context.Context, std streams) error {
	cfg, err := config.Load(".env")
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: cfg.LogLevel}))
	gateway.LogLibrary(log)
	warnOpen(log, ".env", 0o600)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return serve(ctx, cfg, nil, std, log)
}

// serve runs the bot with everything it needs until ctx is done. With a token it reaches Discord by client; nil is an ordinary
// one. Its errors are single sentences for the operator.
func serve(ctx context.Context, cfg config.Config, client *http.Client, std streams, log *slog.Logger) (err error) {
	log = slog.New(incident.Gather(log.Handler()))
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made: %w (MARQUE_DATA says where it is)", err)
	}
	warnOpen(log, cfg.Data, 0o700)
	store, err := bolt.Open(cfg.Database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	sentences, err := locale.Load()
	if err != nil {
		return err
	}
	pictures, err := render.New()
	if err != nil {
		return err
	}

	token, where := cfg.Token.Reveal(), "Discord"
	if cfg.Local() {
		local := localdiscord.New(localdiscord.Options{Port: cfg.LocalPort, StateFile: cfg.LocalState(), Log: log})
		if err := local.Start(); err != nil {
			var taken *localdiscord.ListenError
			if errors.As(err, &taken) {
				return fmt.Errorf("%w (MARQUE_LOCAL_PORT chooses another; 0 takes a free one)", err)
			}
			return err
		}
		defer local.Close()
		token, client, where = local.Token(), local.HTTPClient(), local.URL()
	}
	b, err := bot.New(bot.Config{
		Token:     token,
		Client:    client,
		Tables:    table.New(table.Config{Store: store, Games: catalog.Find, Log: log, Computers: &computer.Crew{}}),
		Games:     catalog.Games,
		Renderer:  pictures,
		Sentences: sentences,
		Log:       log,
	})
	if err != nil {
		return err
	}
	if cfg.Backups != "" {
		copying, stopCopying := context.WithCancel(ctx)
		copied := make(chan struct{})
		go func() {
			defer close(copied)
			newCopies(store, cfg.Database(), cfg.Backups, log).keep(copying, b.Ready())
		}()
		defer func() { stopCopying(); <-copied }()
	}
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(ctx, cfg.ShutdownTimeout) }()
	select {
	case err := <-stopped:
		return err
	case <-b.Ready():
	}
	if cfg.Local() {
		fmt.Fprintf(std.out, "marque is ready: open %s in a browser\n", where)
	} else {
		fmt.Fprintf(std.out, "marque is ready on %s\n", where)
	}
	return <-stopped
}

// warnOpen says when other users of the machine can read or enter a file or folder with secrets, and what to do about it. It
// should have the mode own. Windows has no such modes.
func warnOpen(log *slog.Logger, path string, own os.FileMode) {
	info, err := os.Stat(path)
	if runtime.GOOS == "windows" || err != nil || info.Mode().Perm()&0o007 == 0 {
		return
	}
	log.Warn(fmt.Sprintf("other users of this machine can get at %s: chmod %o %s", path, own, path), "mode", info.Mode().Perm().String())
}
