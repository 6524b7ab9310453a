package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
	_ "time/tzdata" // for machines without time zone data, which quiet hours and days need

	"github.com/coreos/go-systemd/v22/daemon"
	_ "golang.org/x/crypto/x509roots/fallback" // for machines and images without certificates

	"marque/bot"
	"marque/bot/gateway"
	"marque/bot/incident"
	"marque/bot/localdiscord"
	"marque/bot/metrics"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/web"
	"marque/config"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
)

type runCommand struct{}

// Run runs the bot until SIGINT or SIGTERM stops it, or SIGHUP, which is sent when its terminal is closed. A second
// signal ends the bot immediately.
func (runCommand) Run(ctx context.Context, env environ, std streams) error {
	cfg, err := config.Load(".env", env)
	if err != nil {
		return err
	}
	log := newLog(std.err, cfg)
	gateway.LogLibrary(slog.New(incident.Gather(log.Handler())))
	warnOpen(log, ".env", 0o600)
	if len(cfg.Unknown) > 0 {
		log.Warn("no settings have these names, look whether they are misspelt", "names", cfg.Unknown)
	}
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup makes a program ignore it
		stops = append(stops, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, stops...)
	defer stop()
	context.AfterFunc(ctx, stop)
	return serve(ctx, cfg, nil, std, log)
}

// serve runs the bot with everything that it needs until ctx is done. If there is a token, requests to Discord are sent
// with client; nil stands for a default client. Errors are single sentences for the operator.
func serve(ctx context.Context, cfg config.Config, client *http.Client, std streams, log *slog.Logger) (err error) {
	log = slog.New(incident.Attach(incident.Gather(log.Handler())))
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made: %w (MARQUE_DATA says where it is)", err)
	}
	warnOpen(log, cfg.Data, 0o700)
	store, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	sentences, err := sentencesOf(cfg, log)
	if err != nil {
		return err
	}
	pictures, err := render.New(render.UsualWidth)
	if err != nil {
		return err
	}

	counts, stopServing, err := serveMetrics(cfg, log)
	if err != nil {
		return err
	}
	defer stopServing()

	pageOn, pageURL, err := listenPage(cfg)
	if err != nil {
		return err
	}
	token, where := cfg.Token.Reveal(), "Discord"
	login, activity := web.Login{Secret: storage.Secret(cfg.ClientSecret)}, activityOf(cfg)
	if cfg.Local() {
		local := localdiscord.New(localdiscord.Options{Port: cfg.LocalPort, StateFile: cfg.LocalState(),
			Starters: starters(sentences.Speaker(nil, "en"), pictures), Log: log})
		if err := local.Start(); err != nil {
			var taken *localdiscord.ListenError
			if errors.As(err, &taken) {
				return fmt.Errorf("%w (MARQUE_LOCAL_PORT chooses another; 0 takes a free one)", err)
			}
			return err
		}
		defer local.Close()
		token, client, where = local.Token(), local.HTTPClient(), local.URL()
		login = web.Login{Secret: localdiscord.ClientSecret, Authorize: local.AuthorizeURL()}
		local.RegisterRedirect(web.Redirect(pageURL))
		activity = web.Activity{Proxy: local.ActivityProxy(), Frames: local.Origin()}
		local.EnableActivity(pageURL)
	}
	var (
		copying            *copies
		forgotten, deleted func(id string, at storage.Stamp)
	)
	tables := table.Config{Computers: &computer.Pool{}}
	if cfg.Backups != "" {
		copying = newCopies(store, cfg.Database(), cfg.Backups, log)
		copying.carrier = newCarrier(cfg.BackupHook, cfg.Database(), cfg.Backups)
		note := copying.deleted.note(log)
		forgotten = func(user string, at storage.Stamp) { note(deletion{User: user, At: at}) }
		deleted = func(guild string, at storage.Stamp) { note(deletion{Guild: guild, At: at}) }
		if again, err := copying.deleted.repeatMissed(ctx, store); err != nil {
			log.Error("it could not be checked whether the database has data again that were deleted", "error", err)
		} else if again != (repeated{}) {
			log.Info("the database is older than the list of deletions beside its copies: data were deleted again",
				"users", again.users, "servers", again.guilds)
		}
	}
	b, err := bot.New(bot.Config{
		Token:        token,
		Client:       client,
		Store:        store.Store,
		Tables:       tables,
		Forgotten:    forgotten,
		Deleted:      deleted,
		Games:        catalog.Games,
		Renderer:     pictures,
		Sentences:    sentences,
		Log:          log,
		Shards:       cfg.Shards,
		Requests:     cfg.Requests,
		ChannelPosts: !cfg.InteractionPosts,
		Leases:       leasesOf(cfg, store),
		Metrics:      counts,
		Page:         pageURL,
		Login:        login,
		Activity:     activity,
	})
	if err != nil {
		return err
	}
	if pageOn != nil {
		stopPage := b.Page().Serve(pageOn)
		log.Info("the page is served", "address", pageOn.Addr().String(), "url", pageURL.String())
		defer func() { // Run has waited for the browser pages' requests
			stopping, cancel := context.WithTimeout(context.Background(), pageStop)
			defer cancel()
			stopPage(stopping)
		}()
	}
	if copying != nil {
		if counts != nil {
			counts.WatchBackups(copying.status)
		}
		keeping, stopKeeping := context.WithCancel(ctx)
		kept := make(chan struct{})
		go func() { defer close(kept); copying.keep(keeping, b.Ready()) }()
		defer func() { stopKeeping(); <-kept }()
	}
	manager := newSupervisor(store, log)
	// Keep-alive messages are also sent during a stop. The stop does not wait for a service manager that does not
	// answer.
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWatching()
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(ctx, cfg.ShutdownTimeout) }()
	select {
	case err := <-stopped:
		return err
	case <-b.Ready():
	}
	manager.tell(daemon.SdNotifyReady)
	go manager.watch(watching)
	context.AfterFunc(ctx, func() { manager.tell(daemon.SdNotifyStopping) })
	if cfg.Local() {
		fmt.Fprintf(std.out, "marque is ready: open %s in a browser\n", where)
	} else {
		fmt.Fprintf(std.out, "marque is ready on %s\n", where)
	}
	return <-stopped
}

// pageStop limits how long a stop waits until browser pages have received their last answers.
const pageStop = 2 * time.Second

// listenPage opens a listener for the browser page, and returns the page's public address. Both are nil if there is
// no page. If none is configured, a bot on the local Discord has one on the next port, or on a free one.
func listenPage(cfg config.Config) (net.Listener, *url.URL, error) {
	if page := cfg.Page(); page != nil {
		l, err := net.Listen("tcp", cfg.Web)
		if err != nil {
			return nil, nil, fmt.Errorf("the page cannot be served: %w (MARQUE_WEB chooses another address)", err)
		}
		return l, page, nil
	}
	if !cfg.Local() {
		return nil, nil, nil
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", (cfg.LocalPort+1)%65536))
	if cfg.LocalPort == 0 || err != nil {
		if err == nil {
			l.Close()
		}
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, nil, fmt.Errorf("the page cannot be served: %w", err)
		}
	}
	return l, &url.URL{Scheme: "http", Host: l.Addr().String()}, nil
}

// newLog returns a log with the configured level and format.
func newLog(to io.Writer, cfg config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// serveMetrics serves metrics and health if this is configured; otherwise counts is nil. stop must be called after the
// bot has stopped, and before the store is closed.
func serveMetrics(cfg config.Config, log *slog.Logger) (counts *metrics.Metrics, stop func(), err error) {
	if cfg.Metrics == "" {
		return nil, func() {}, nil
	}
	counts = metrics.New(thisBuild())
	at, stop, err := counts.Serve(cfg.Metrics, cfg.Profile, log)
	if err != nil {
		return nil, nil, fmt.Errorf("metrics cannot be served: %w (MARQUE_METRICS chooses another address)", err)
	}
	log.Info("metrics and health are served", "address", at.String(), "profiles", cfg.Profile)
	if !cfg.MetricsAreLocal() {
		log.Warn("other machines may reach the metrics, which ask for no password: let a firewall or the containers' network keep others away, or set MARQUE_METRICS to 127.0.0.1:9464")
	}
	return counts, stop, nil
}

// starterWidth is the width of a starter's picture in pixels, twice its width on the page.
const starterWidth = 208

// starters returns the games that the first view of the local Discord's page offers, each against as few computer
// players as possible. These are easy, because a new user does not know the games yet. Beside each game are its lessons
// and a sentence about the game, with a small board.
func starters(s *locale.Speaker, pictures *render.Renderer) []localdiscord.Starter {
	var list []localdiscord.Starter
	for _, g := range catalog.Games {
		least, _ := g.Seats()
		list = append(list, localdiscord.Starter{
			Title: "Play against the computer", Label: s.Say(text.M("bot.button.play-game", "Game", g.Info().Name)),
			Command: "play",
			Options: []localdiscord.Option{localdiscord.Opt("game", g.Key()), localdiscord.Opt("computers", least-1),
				localdiscord.Opt("level", "easy")},
			Text: s.Say(g.Info().Tagline),
			Picture: func(ctx context.Context) ([]byte, error) {
				board, err := show.SampleScene(g)
				if err != nil {
					return nil, err
				}
				return pictures.SmallPNG(ctx, board, render.Options{Width: starterWidth, Say: s.Say})
			},
			Beside: []localdiscord.Starter{{Label: "Learn", Command: "learn",
				Options: []localdiscord.Option{localdiscord.Opt("game", g.Key())}}},
		})
	}
	return list
}

// warnOpen logs a warning if other users of the machine can read a secret file or enter a folder with secrets. own is
// the mode that the warning advises. Windows has no such modes.
func warnOpen(log *slog.Logger, path string, own os.FileMode) {
	if isOpen(path) {
		log.Warn(fmt.Sprintf("other users of this machine can get at %s: chmod %o %s", path, own, path))
	}
}

// isOpen reports whether users outside a file's group can access the file or folder. It returns false on Windows.
func isOpen(path string) bool {
	info, err := os.Stat(path)
	return runtime.GOOS != "windows" && err == nil && info.Mode().Perm()&0o007 != 0
}

// activityOf returns the settings of the Discord Activity, or the zero value if it is not configured.
func activityOf(cfg config.Config) web.Activity {
	if !cfg.Activity {
		return web.Activity{}
	}
	return web.OnDiscord
}
