package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// checkTime limits each step of Check: the request for the page, the handshake of the WebSocket, and the answer on
// it.
const checkTime = 15 * time.Second

// Check requests a page at its public address as a browser does. It finds problems that a browser would have: the page
// cannot be reached, its certificate is invalid, another server answers, or a proxy changes the security headers or
// refuses a WebSocket. The error is a sentence without a full stop that suggests a remedy.
func Check(ctx context.Context, at *url.URL, inside Activity, trust *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, 2*checkTime)
	defer cancel()
	client := http.Client{
		Timeout:       checkTime,
		Transport:     &http.Transport{TLSClientConfig: trust, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String()+"/", nil)
	if err != nil {
		return err
	}
	got, err := client.Do(q)
	if err != nil {
		return fmt.Errorf("it is not reached: %w; look at its name, its certificate and the proxy",
			errors.Unwrap(err))
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("it breaks off: %w; look at the proxy", err)
	}
	switch {
	case got.StatusCode == http.StatusMisdirectedRequest:
		return errors.New("the proxy hands the bot another name than MARQUE_WEB_URL has; let it pass Host on")
	case got.StatusCode/100 == 3:
		return fmt.Errorf("it leads to %s; let MARQUE_WEB_URL be that address", got.Header.Get("Location"))
	case got.StatusCode/100 == 5:
		return fmt.Errorf("the proxy answers %s; let it hand requests on to MARQUE_WEB", got.Status)
	case got.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("<title>marque</title>")):
		return fmt.Errorf("something else answers there (%s); let the proxy hand requests on to MARQUE_WEB", got.Status)
	case !bytes.Equal(body, document):
		return errors.New("another version answers there, or the proxy changes the page; restart the bot, and look at the proxy")
	}
	for name, want := range protection(at, inside.Frames) {
		if said := got.Header.Values(name); len(said) != 1 || said[0] != want {
			return fmt.Errorf("the proxy changes the header %s to %q; let it pass the bot's on", name, said)
		}
	}
	return checkLive(ctx, at, trust)
}

// checkLive sends a message without a session to the page's WebSocket. The bot must then close the connection.
func checkLive(ctx context.Context, at *url.URL, trust *tls.Config) error {
	dialer := websocket.Dialer{TLSClientConfig: trust, HandshakeTimeout: checkTime, Proxy: http.ProxyFromEnvironment}
	ws, got, err := dialer.DialContext(ctx, strings.Replace(at.String(), "http", "ws", 1)+"/api/live",
		http.Header{"Origin": {at.String()}})
	if err != nil {
		if got != nil {
			err = errors.New(got.Status)
		}
		return fmt.Errorf("the page is there, and no WebSocket comes through: %w; let the proxy pass on Upgrade", err)
	}
	defer ws.Close()
	_ = ws.SetReadDeadline(time.Now().Add(checkTime))
	if err = ws.WriteJSON(listens{}); err == nil {
		_, _, err = ws.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		return fmt.Errorf("the page is there, and its WebSocket breaks: %w; look at the proxy", err)
	}
	return nil
}
