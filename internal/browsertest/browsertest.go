// Package browsertest lets tests look at a page in headless Chromium: what it
// shows, what it says on the console, and whether it asks for anything.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
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
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// names are those that systems give Chromium, and its kin.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}

// Find gives the path of a Chromium. Without one a test is skipped; in CI it
// fails.
func Find(tb testing.TB) string {
	tb.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		tb.Fatal("no chromium in CI")
	}
	tb.Skip("no chromium here: scripts/tools.sh installs it on Debian")
	return ""
}

// A Browser is a running Chromium, which ends with its test.
type Browser struct {
	ctx context.Context
}

// Start starts a browser.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(Find(tb)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile(tb)))
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	tb.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	tb.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		tb.Fatalf("start chromium: %v", err)
	}
	return &Browser{ctx}
}

// A View is how a page is looked at. The zero value is 1440 by 900, light.
type View struct {
	Width, Height int
	Dark          bool
}

// A Tab is an open page.
type Tab struct {
	ctx  context.Context
	mu   sync.Mutex
	said []string
}

// Open opens a file and waits until it is loaded. The tab ends with the test.
func (b *Browser) Open(tb testing.TB, file string, v View) *Tab {
	tb.Helper()
	t := b.Blank(tb, v)
	t.Go(tb, file)
	return t
}

// Blank opens an empty tab.
func (b *Browser) Blank(tb testing.TB, v View) *Tab {
	tb.Helper()
	if v.Width == 0 {
		v.Width, v.Height = 1440, 900
	}
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	tb.Cleanup(func() { stop(); cancel() })
	t := &Tab{ctx: ctx}
	if err := chromedp.Listen(ctx, t.listen); err != nil {
		tb.Fatalf("chromium: %v", err)
	}
	call(tb, t, network.Enable, network.EnableParams{})
	call(tb, t, log.Enable, cdp.Empty{})
	call(tb, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(v.Width), Height: int64(v.Height), DeviceScaleFactor: 1, Mobile: v.Width < 500})
	call(tb, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	return t
}

func call[P, R any](tb testing.TB, t *Tab, command cdp.Command[P, R], params P) R {
	tb.Helper()
	result, err := chromedp.Call(t.ctx, command, params)
	if err != nil {
		tb.Fatalf("chromium: %s: %v", command.Method, err)
	}
	return result
}

// Go opens a file in the tab; a fragment may follow its name.
func (t *Tab) Go(tb testing.TB, file string) {
	tb.Helper()
	run(tb, t, chromedp.Navigate(Address(tb, file)))
}

// Address is the address of a file, behind whose name a fragment may stand.
func Address(tb testing.TB, file string) string {
	name, fragment, _ := strings.Cut(file, "#")
	abs, err := filepath.Abs(name)
	if err != nil {
		tb.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs), Fragment: fragment}).String()
}

// listen notes what a page that does nothing would not do.
func (t *Tab) listen(event any) {
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		t.note("console: %s", event.Type)
	case *runtime.EventExceptionThrown:
		t.note("exception: %s", event.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		t.note("log: %s", event.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		t.note("dialog: %s", event.Message)
		go chromedp.Call(t.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
	case *network.EventRequestWillBeSent:
		self := event.Type == network.ResourceTypeDocument && strings.HasPrefix(event.Request.URL, "file:")
		if !self && !strings.HasPrefix(event.Request.URL, "data:") {
			t.note("request: %s", event.Request.URL)
		}
	case *page.EventFrameAttached:
		t.note("a frame was attached")
	case *page.EventWindowOpen:
		t.note("window: %s", event.URL)
	}
}

func (t *Tab) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, fmt.Sprintf(format, args...))
}

// Said gives what the page said on the console and what it asked for, besides
// itself.
func (t *Tab) Said() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.said...)
}

// Quiet fails the test if the page said or asked for anything.
func (t *Tab) Quiet(tb testing.TB) {
	tb.Helper()
	for _, line := range t.Said() {
		tb.Errorf("the page was not quiet: %s", line)
	}
}

// Eval evaluates JavaScript, and waits where it gives a promise.
func Eval[T any](tb testing.TB, t *Tab, script string) T {
	tb.Helper()
	return run(tb, t, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Press sends keys, as a person types them.
func (t *Tab) Press(tb testing.TB, keys string) {
	tb.Helper()
	run(tb, t, chromedp.KeyEvent(keys))
}

// Before has every page that the tab opens run a script before its own.
func (t *Tab) Before(tb testing.TB, script string) {
	tb.Helper()
	call(tb, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// Scroll scrolls down so many pixels, as a wheel does, so many a second.
func (t *Tab) Scroll(tb testing.TB, pixels, perSecond int) {
	tb.Helper()
	call(tb, t, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{
		X: 500, Y: 500, YDistance: -float64(pixels), Speed: int64(perSecond), GestureSourceType: input.GestureSourceTypeMouse})
}

// Screenshot is what the window shows, as PNG.
func (t *Tab) Screenshot(tb testing.TB) []byte {
	tb.Helper()
	return run(tb, t, chromedp.CaptureScreenshot())
}

func run[T any](tb testing.TB, t *Tab, action chromedp.Action[T]) T {
	tb.Helper()
	result, err := chromedp.Run(t.ctx, action)
	if err != nil {
		tb.Fatalf("chromium: %v", err)
	}
	return result
}

// profile is a folder for the browser's own files. Its processes write there a
// moment longer than they are waited for.
func profile(tb testing.TB) string {
	dir, err := os.MkdirTemp("", "rollbook-chromium-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		for range 50 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	return dir
}
