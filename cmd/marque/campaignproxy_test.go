//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// proxy lets programs use a local Discord under the host names of the real one. It consists of a proxy, and a
// certificate authority that the programs trust.
type proxy struct {
	address   string // for HTTPS_PROXY
	authority string // file with the authority's certificate, for SSL_CERT_FILE
}

// discordHosts are the host names that the bot connects to.
var discordHosts = []string{"discord.com", "cdn.discordapp.com", "media.discordapp.net"}

// openProxy opens a proxy to discord for the duration of the test.
func openProxy(t *testing.T, discord http.Handler) proxy {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "local Discord"}, DNSNames: discordHosts,
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, NotBefore: time.Now().Add(-24 * time.Hour),
		NotAfter: time.Now().Add(240 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, own, own, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	d := proxy{authority: filepath.Join(t.TempDir(), "authority.pem")}
	if err := os.WriteFile(d.authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		0o600); err != nil {
		t.Fatal(err)
	}
	quiet := log.New(io.Discard, "", 0) // discards errors about connections of killed programs
	inside := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1"
		discord.ServeHTTP(w, r)
	}))
	inside.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	inside.Config.ErrorLog = quiet
	inside.StartTLS()
	t.Cleanup(inside.Close)
	outside := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, _ := net.SplitHostPort(r.Host); r.Method != http.MethodConnect || !slices.Contains(discordHosts,
			host) {
			http.Error(w, "not a host of Discord", http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", inside.Listener.Addr().String())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			to.Close()
			return
		}
		io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		carry := func(to, from net.Conn) { io.Copy(to, from); to.Close(); from.Close() }
		go carry(to, from)
		go carry(from, to)
	}))
	outside.Config.ErrorLog = quiet
	outside.Start()
	t.Cleanup(outside.Close)
	d.address = outside.URL
	return d
}
