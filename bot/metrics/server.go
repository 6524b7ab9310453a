package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// readyTime limits the duration of the readiness check.
	readyTime = 2 * time.Second
	// stopTime limits how long a stop waits for running requests for metrics.
	stopTime = 2 * time.Second
)

// Handler returns a handler for /metrics, /livez, /readyz and, if profile is true, /debug/pprof/.
//
// /livez has status 200 whenever the process answers. /readyz has status 200 if the store works, the bot is connected
// to Discord, and no lease of its shards has lapsed. Otherwise its status is 503, and it says what is missing.
func (m *Metrics) Handler(profile bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, q *http.Request) {
		ctx, cancel := context.WithTimeout(q.Context(), readyTime)
		defer cancel()
		store, gateway, leases := m.sources.ready(ctx)
		if store != nil || gateway != nil || leases != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w, "store: %s\ngateway: %s\n", orOK(store), orOK(gateway))
		if leases != nil {
			fmt.Fprintf(w, "leases: %s\n", leases)
		}
	})
	if profile {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// ownHost refuses requests whose host is neither localhost nor a loopback address. A web page sends the name of its
// own host, even if that name resolves to this machine (DNS rebinding).
func ownHost(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		host, _, err := net.SplitHostPort(q.Host)
		if err != nil {
			host = q.Host
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); !strings.EqualFold(host, "localhost") &&
			(ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this is answered on localhost alone", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, q)
	})
}

// refuseBodies makes h answer without waiting for the body of a request. Otherwise a client that sends slowly could
// keep a connection for any time. A read timeout of the server would also prevent this, but would cut profiles
// short.
func refuseBodies(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // the server's response writers support this
		}
		h.ServeHTTP(w, q)
	})
}

func orOK(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

// Serve serves metrics and health on an address until stop is called. It returns the address on which it listens, or
// the error of listening.
func (m *Metrics) Serve(address string, profile bool, log *slog.Logger) (at net.Addr, stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	handler := refuseBodies(m.Handler(profile))
	if at, ok := l.Addr().(*net.TCPAddr); ok && at.IP.IsLoopback() {
		handler = ownHost(handler)
	}
	// Answers have no time limit, because profiles and traces take as long as the client asks for.
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 14,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); err != http.ErrServerClosed {
			log.Error("metrics are not served any more", "error", err)
		}
	}()
	return l.Addr(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
		<-done
		m.sources.close()
	}, nil
}
