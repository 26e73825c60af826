package assemble

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/rollout"
	"rollbook/internal/rolltest"
	"rollbook/internal/rolltest/sample"
	"rollbook/internal/transcript"
)

// TestSummarize: it tells what Thread tells, of every thread at once, and each
// report gets what belongs to its thread.
func TestSummarize(t *testing.T) {
	l, all := open(t, sample.Home())
	var wg sync.WaitGroup
	for _, id := range l.IDs() {
		thread, err := l.Thread(context.Background(), id, transcript.Active)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			var tally diag.Tally
			sum, err := l.Summarize(context.Background(), id, nil, tally.Add)
			if err != nil {
				t.Error(err)
				return
			}
			if title, from := ChooseTitle(l.titles[id], sum.Name, sum.Prompt); title != thread.Title || from != thread.TitleSource {
				t.Errorf("%s: title %q from %s, want %q from %s", id, title, from, thread.Title, thread.TitleSource)
			}
			if d := cmp.Diff(thread.Meta, sum.Meta); d != "" {
				t.Errorf("%s: %s", id, d)
			}
			if sum.Losses != tally.Total() {
				t.Errorf("%s: %d losses, %d reported", id, sum.Losses, tally.Total())
			}
			bare, early := strings.Contains(sum.Files[0], "2026/01/12"), strings.Contains(sum.Files[0], "2026/02/03")
			if sum.UserEvent == bare || sum.SourceRecorded == (bare || early) {
				t.Errorf("%s: user event %v, source recorded %v", sum.Files[0], sum.UserEvent, sum.SourceRecorded)
			}
		})
	}
	wg.Wait()
	if all.Total() != 2 {
		t.Errorf("%d diagnostics of Thread, want 2", all.Total())
	}
	if _, err := l.Summarize(context.Background(), "nobody", nil, nil); err == nil {
		t.Error("a thread that is not there was summarized")
	}
}

// TestSummarizeSees: what is seen is the thread's own, also what was rolled back
// or reverted, and each record once.
func TestSummarizeSees(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V36, rolltest.V101, rolltest.V156, rolltest.V171} {
		home := rolltest.NewHome(2)
		r := home.New(v, rolltest.Meta{})
		r.Turn("one").Assistant("1").TurnComplete()
		r.Turn("two").Assistant("2").TurnComplete()
		fork := r.Fork(rolltest.All)
		fork.Wait(time.Minute).Turn("three").Assistant("3").TurnComplete()
		want := map[string]string{r.ID: "one two", fork.ID: "three"}
		if v >= rolltest.V156 {
			r.Revert(1).Turn("four").Assistant("4").TurnComplete()
			want[r.ID] += " four"
		} else if v > rolltest.V36 {
			r.RolledBack(1)
		}
		l, _ := open(t, home)
		for id, want := range want {
			var got []string
			see := func(p rollout.Payload) {
				switch p := p.(type) {
				case *rollout.UserMessageEvent:
					got = append(got, p.Message.String())
				case *rollout.ItemCompleted:
					if m, ok := p.Item.(*rollout.UserMessage); ok {
						got = append(got, m.Content.Text())
					}
				}
			}
			if _, err := l.Summarize(context.Background(), id, see, nil); err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%v: saw %q, want %q", v, got, want)
			}
		}
	}
}

func TestSources(t *testing.T) {
	home := rolltest.NewHome(3)
	r := home.New(rolltest.V171, rolltest.Meta{})
	r.Turn("one").Assistant("1").TurnComplete()
	fork := r.Fork(rolltest.All)
	fork.Turn("two").Assistant("2").TurnComplete()
	deep := fork.Fork(rolltest.All)
	segment := r.Revert(0)
	segment.Turn("again").Assistant("3").TurnComplete()
	l, _ := open(t, home)
	for id, want := range map[string][]string{
		r.ID:     {r.Path(), segment.Path()},
		fork.ID:  {fork.Path(), r.Path()},
		deep.ID:  {deep.Path(), r.Path(), fork.Path()},
		"nobody": nil,
	} {
		if got := l.Sources(id); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func TestChooseTitle(t *testing.T) {
	named, prompt := discover.Title{Text: "\nA name\nof two lines", Source: discover.FromIndex}, discover.Title{Text: "the prompt", Source: discover.FromStateDB, Prompt: true}
	for _, tt := range []struct {
		known        discover.Title
		name, prompt string
		text, source string
	}{
		{named, "event", "said", "A name", "index"},
		{discover.Title{}, "event", "said", "event", "event"},
		{prompt, "event", "said", "event", "event"},
		{prompt, "", "said", "said", "prompt"},
		{prompt, "", "", "the prompt", "prompt"},
		{discover.Title{}, "", "", "", ""},
	} {
		if text, source := ChooseTitle(tt.known, tt.name, tt.prompt); text != tt.text || source != tt.source {
			t.Errorf("%+v %q %q: %q from %q", tt.known, tt.name, tt.prompt, text, source)
		}
	}
}
