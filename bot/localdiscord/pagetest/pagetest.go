// Package pagetest opens the page of the local Discord in a headless browser for tests, and works it.
package pagetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Patience bounds one wait in the page.
const Patience = 5 * time.Minute

// Open opens the page at url at the size of a desk, and returns its tab, which lives as long as the
// test. It skips the test where there is no browser.
func Open(t *testing.T, url string) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no browser found (chromium or google-chrome): the page was not tested")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("lang", "en-US"), chromedp.WindowSize(1280, 860))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // starts the browser, which lives as long as this context
		t.Fatal(err)
	}
	Do(t, ctx, Prefer("dark"), chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS(`#seats [role=radio]`)),
		chromedp.WaitVisible(chromedp.CSS(`#log .welcome`)))
	return ctx
}

// Do does one thing after the other in a tab, and fails the test with what the page says where one cannot be done.
func Do(t *testing.T, tab context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	limited, cancel := context.WithTimeout(tab, Patience)
	defer cancel()
	for _, a := range actions {
		err := chromedp.Do(limited, a)
		// it was drawn again between looking for it and reaching it
		for err != nil && strings.Contains(err.Error(), "Could not find node with given id") {
			err = chromedp.Do(limited, a)
		}
		if err != nil {
			Fail(t, tab, err)
		}
	}
}

// Until waits until a JavaScript expression is true, and fails the test where it never is.
func Until(t *testing.T, tab context.Context, expression string) {
	t.Helper()
	_, err := chromedp.Run(tab, chromedp.Poll[chromedp.Void](expression,
		chromedp.WithPollingInterval(10*time.Millisecond), chromedp.WithPollingTimeout(Patience)))
	if err != nil {
		Fail(t, tab, fmt.Errorf("%s never became true: %w", expression, err))
	}
}

// Fail ends the test with a reason and what the page says.
func Fail(t *testing.T, tab context.Context, reason error) {
	t.Helper()
	Shoot(t, tab, "failure")
	text, _ := chromedp.Run(tab, chromedp.Evaluate[string](`document.querySelector("main").innerText.slice(-1500)`))
	t.Fatalf("%v\nthe page says: %s", reason, text)
}

// Shoot leaves a picture of the page in the folder that LOCALDISCORD_SHOTS names, if it names one.
func Shoot(t *testing.T, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("LOCALDISCORD_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		t.Log(err)
	}
}

// Prefer emulates a preference for dark or light colours, and for stillness: a colour on its way to
// another is not what a test looks at.
func Prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
				{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}
