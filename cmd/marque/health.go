package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"marque/config"
)

// healthTime limits the duration of the request for the bot's health.
const healthTime = 5 * time.Second

// healthCommand asks a running bot for its health.
type healthCommand struct {
	Live bool `help:"Ask only whether the process answers, not whether its store works and it is connected."`
}

// Run returns an error unless the bot whose metrics are at MARQUE_METRICS is ready, or alive if c.Live is set.
func (c healthCommand) Run(ctx context.Context, env environ, std streams) error {
	cfg, err := config.Load(".env", env)
	if err != nil {
		return err
	}
	if cfg.Metrics == "" {
		return errors.New(
			"MARQUE_METRICS is not set, here and for the bot: it is the address, such as 127.0.0.1:9464, on which the bot says how it is")
	}
	path := "/readyz"
	if c.Live {
		path = "/livez"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(cfg.Metrics)+path, nil)
	if err != nil {
		return err
	}
	// The bot runs on this machine, so no proxy is used.
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
	if err != nil {
		return fmt.Errorf("the bot does not answer on %s: is it running, with the same MARQUE_METRICS? (%w)",
			cfg.Metrics, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<12))
	if err != nil {
		return err
	}
	said := strings.ReplaceAll(strings.TrimSpace(string(body)), "\n", ", ")
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the bot is not ready: %s", said)
	}
	fmt.Fprintln(std.out, said)
	return nil
}

// reachable returns the address at which a client connects to a listening address. If that address stands for all
// interfaces, it is the loopback address.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
		return net.JoinHostPort(host, port)
	}
	return address
}
