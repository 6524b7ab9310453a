// Package pagetest opens the page of the local Discord in a headless browser for tests, and operates it.
package pagetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Patience is the time limit for each call of Do, Until and Wait.
const Patience = 3 * time.Minute

// browser is the browser of all tests of a test binary. ctx is its first tab, which no test uses.
var browser struct {
	once sync.Once
	ctx  context.Context
	end  context.CancelFunc
	err  error
}

var errNoBrowser = errors.New("no browser found (chromium or google-chrome): the page was not tested")

// Run calls run, and then closes the browser if a test has started it. The TestMain of each package whose tests open
// pages calls Run.
func Run(run func() int) int {
	code := run()
	browser.once.Do(func() {}) // from here on, no browser can be started
	if browser.end != nil {
		browser.end()
	}
	return code
}

// start starts the browser. Its own window is not used: tests open their own windows.
func start() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		browser.err = errNoBrowser
		return
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("lang", "en-US"), chromedp.WindowSize(1280, 860))
	allocator, end := chromedp.NewExecAllocator(context.Background(), opts...)
	browser.ctx, _ = chromedp.NewContext(allocator) // ends with the allocator
	browser.end, browser.err = end, chromedp.Do(browser.ctx)
}

// Open opens the page at url in desktop size, and returns its tab, which exists until the test ends. Without a browser
// it skips the test. All tests share one browser, because a browser starts slowly; each page has its own storage,
// connections and window, and is visible and focused as if there were no other.
func Open(t *testing.T, url string) context.Context {
	t.Helper()
	ctx := Tab(t)
	Do(t, ctx, chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS(`#seats [role=radio]`)),
		chromedp.WaitVisible(chromedp.CSS(`#log .welcome`)))
	return ctx
}

// Tab returns an empty tab with the same properties as the tabs that Open returns.
func Tab(t *testing.T) context.Context {
	t.Helper()
	browser.once.Do(start)
	if errors.Is(browser.err, errNoBrowser) {
		t.Skip(browser.err)
	} else if browser.err != nil {
		t.Fatal(browser.err)
	}
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // opens the tab, which exists until the context ends
		t.Fatal(err)
	}
	Do(t, ctx, Prefer("dark"), focused())
	return ctx
}

// focused returns an action that makes a page behave as if its window had the focus, which only one window of a browser
// has.
func focused() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled,
			emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	})
}

// Do runs actions in a tab, one after the other. If one fails, the test fails and logs the page's text.
func Do(t *testing.T, tab context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	limited, cancel := context.WithTimeout(tab, Patience)
	defer cancel()
	for _, a := range actions {
		err := chromedp.Do(limited, a)
		// The element was redrawn between being found and being used, so try again.
		for err != nil && strings.Contains(err.Error(), "Could not find node with given id") {
			err = chromedp.Do(limited, a)
		}
		if err != nil {
			Fail(t, tab, err)
		}
	}
}

// Until waits until a JavaScript expression is true, and fails the test after Patience.
func Until(t *testing.T, tab context.Context, expression string) {
	t.Helper()
	if _, err := Wait[bool](tab, "("+expression+") ? true : null"); err != nil {
		Fail(t, tab, fmt.Errorf("%s never became true: %w", expression, err))
	}
}

// Wait waits until a JavaScript expression does not throw and is not null, and returns its value. It evaluates the
// expression whenever the page has changed, and every 50 milliseconds. More frequent evaluations of an expression
// that reads a long page's text would slow the page down.
func Wait[T any](tab context.Context, expression string) (T, error) {
	limited, cancel := context.WithTimeout(tab, Patience)
	defer cancel()
	look := chromedp.Evaluate[T](`new Promise((done) => {
		const look = () => {
			let found = null;
			try {
				found = `+expression+`;
			} catch {} // the element does not exist yet
			changes.takeRecords(); // ignore changes that the expression made
			if (found === null) return;
			clearInterval(seldom);
			changes.disconnect();
			document.removeEventListener("load", look, true);
			done(found);
		};
		const seldom = setInterval(look, 50), changes = new MutationObserver(look);
		changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		document.addEventListener("load", look, true); // for loaded pictures
		look();
	})`, chromedp.EvalAwaitPromise)
	for {
		found, err := chromedp.Run(limited, look)
		if err == nil || limited.Err() != nil || !strings.Contains(err.Error(), "navigated or closed") {
			return found, err
		}
		// The page has navigated away. Wait again, in the new document.
	}
}

// Fail ends the test with a reason and the end of the page's text.
func Fail(t *testing.T, tab context.Context, reason error) {
	t.Helper()
	Shoot(t, tab, "failure")
	text, _ := chromedp.Run(tab, chromedp.Evaluate[string](`document.querySelector("main").innerText.slice(-1500)`))
	t.Fatalf("%v\nthe page says: %s", reason, text)
}

// Shoot saves a screenshot of the page in the folder LOCALDISCORD_SHOTS, if that variable is set.
func Shoot(t *testing.T, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("LOCALDISCORD_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		t.Log(err)
	}
}

// Touch returns an action that touches a point in a tab with a finger. The coordinates are in the tab's pixels.
func Touch(x, y float64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, event := range []input.DispatchTouchEventParams{
			{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: x, Y: y}}},
			{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}},
		} {
			if _, err := cdp.Call(ctx, t, input.DispatchTouchEvent, event); err != nil {
				return err
			}
		}
		return nil
	})
}

// Hold scrolls an element into view and presses the mouse button on it. It returns an action that releases the button
// at the same place.
func Hold(t *testing.T, tab context.Context, selector string) (release chromedp.Action[chromedp.Void]) {
	t.Helper()
	at, err := Wait[[]float64](tab, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({ block: "center" });
		const box = e.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`, selector))
	if err != nil {
		Fail(t, tab, err)
	}
	mouse := func(what input.DispatchMouseEventType) chromedp.Action[chromedp.Void] {
		return chromedp.MouseEvent(what, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1))
	}
	Do(t, tab, mouse(input.DispatchMouseEventTypeMousePressed))
	return mouse(input.DispatchMouseEventTypeMouseReleased)
}

// Prefer returns an action that emulates a preference for dark or light colours. It always emulates a preference for
// reduced motion, so that no test sees a colour in transition.
func Prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
				{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}
