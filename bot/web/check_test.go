package web_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"marque/bot/web"
)

// A check from outside finds the problems that keep browsers from a page, and suggests remedies.
func TestCheckFindsWhatBrowsersStumbleOver(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct {
		proxy func(p *httputil.ReverseProxy, next http.Handler) http.Handler
		want  string // text in the error; "" if there is no error
	}{
		"nothing": {func(_ *httputil.ReverseProxy, next http.Handler) http.Handler { return next }, ""},
		"another name": {func(p *httputil.ReverseProxy, next http.Handler) http.Handler {
			before := p.Rewrite
			p.Rewrite = func(r *httputil.ProxyRequest) { before(r); r.Out.Host = "localhost" }
			return next
		}, "let it pass Host on"},
		"a header is changed": {func(p *httputil.ReverseProxy, next http.Handler) http.Handler {
			p.ModifyResponse = func(r *http.Response) error {
				r.Header.Set("Content-Security-Policy", "default-src *")
				return nil
			}
			return next
		}, "Content-Security-Policy"},
		"another program": {func(*httputil.ReverseProxy, http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("It works!"))
			})
		}, "something else answers"},
		"the page is changed": {func(p *httputil.ReverseProxy, next http.Handler) http.Handler {
			p.ModifyResponse = func(r *http.Response) error {
				const more = "<script>advertise()</script>"
				r.Body = io.NopCloser(io.MultiReader(r.Body, strings.NewReader(more)))
				r.ContentLength += int64(len(more))
				r.Header.Del("Content-Length")
				return nil
			}
			return next
		}, "the proxy changes the page"},
		"no program": {func(*httputil.ReverseProxy, http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadGateway)
			})
		}, "hand requests on to MARQUE_WEB"},
		"leads elsewhere": {func(*httputil.ReverseProxy, http.Handler) http.Handler {
			return http.RedirectHandler("https://www.example.org/", http.StatusMovedPermanently)
		}, "let MARQUE_WEB_URL be that address"},
		"no WebSocket": {func(_ *httputil.ReverseProxy, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				q.Header.Del("Upgrade")
				next.ServeHTTP(w, q)
			})
		}, "let the proxy pass on Upgrade"},
		"an unknown certificate": {nil, "look at its name, its certificate"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			inside := &url.URL{Scheme: "http", Host: l.Addr().String()}
			p := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(inside)
				r.SetXForwarded()
				r.Out.Host = r.In.Host
			}, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
			var handler http.Handler = p
			if tc.proxy != nil {
				handler = tc.proxy(p, p)
			}
			outside := httptest.NewUnstartedServer(handler)
			outside.Config.ErrorLog = p.ErrorLog
			outside.StartTLS()
			defer outside.Close()
			at, err := url.Parse(outside.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer web.New(web.Config{URL: at, Log: slog.New(slog.DiscardHandler)}).Serve(l)(t.Context())
			trust := &tls.Config{RootCAs: x509.NewCertPool()}
			if tc.proxy != nil {
				trust.RootCAs.AddCert(outside.Certificate())
			}
			err = web.Check(t.Context(), at, web.Activity{}, trust)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the visit says %v, want %q", err, tc.want)
			}
		})
	}
}
