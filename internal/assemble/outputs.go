package assemble

import (
	"strconv"
	"strings"
	"time"

	"rollbook/internal/rollout"
)

// An outcome is what an output's text says of its call.
type outcome struct {
	text     string
	exit     *int
	duration *time.Duration
	isError  *bool
}

// readOutput reads the forms that outputs have had (F19): JSON in a string up
// to 0.125, a header of lines from 0.63 on, plain text. JSON is opened; a header
// stays part of the text, for it is what the model got.
func readOutput(text string) outcome {
	if out, ok := readJSONOutput(text); ok {
		return out
	}
	out := outcome{text: text}
	header, _, ok := strings.Cut(text[:min(len(text), maxHeader)], "Output:\n")
	if !ok {
		return out
	}
	for line := range strings.Lines(header) {
		out.headerLine(strings.TrimSuffix(line, "\n"))
	}
	return out
}

// maxHeader is how far the header of an output may reach.
const maxHeader = 400

// headerLine reads one line of a header: "Exit code: 1", "Process exited with
// code 1", "Wall time: 0.5 seconds" (without the colon in code mode), "Script
// failed".
func (o *outcome) headerLine(line string) {
	for _, opening := range [...]string{"Exit code: ", "Process exited with code "} {
		if digits, ok := strings.CutPrefix(line, opening); ok {
			o.setExit(digits)
		}
	}
	if seconds, ok := strings.CutPrefix(line, "Wall time"); ok {
		if seconds, ok = strings.CutSuffix(strings.TrimPrefix(seconds, ":"), " seconds"); ok {
			o.setSeconds(strings.TrimPrefix(seconds, " "))
		}
	}
	if line == "Script failed" {
		failed := true
		o.isError = &failed
	}
}

func (o *outcome) setExit(digits string) {
	code, err := strconv.Atoi(digits)
	if err != nil {
		return
	}
	failed := code != 0
	o.exit, o.isError = &code, &failed
}

func (o *outcome) setSeconds(digits string) {
	s, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(s >= 0 && s <= 1e9) { // also no NaN
		return
	}
	d := time.Duration(s * float64(time.Second))
	o.duration = &d
}

// readJSONOutput opens {"output":…,"metadata":{"exit_code":…,"duration_seconds":…}}.
func readJSONOutput(text string) (outcome, bool) {
	if !strings.HasPrefix(text, `{"output":`) || !strings.Contains(text, `"metadata"`) {
		return outcome{}, false
	}
	raw := rollout.Raw(text)
	var env rollout.Envelope
	if rollout.Scan(raw, &env) != rollout.NoFault {
		return outcome{}, false
	}
	inner, ok := raw.Get("output").Text()
	meta := raw.Get("metadata")
	if !ok || !meta.IsObject() {
		return outcome{}, false
	}
	out := outcome{text: inner}
	if code := meta.Get("exit_code"); len(code) > 0 {
		out.setExit(string(code))
	}
	if s := meta.Get("duration_seconds"); len(s) > 0 {
		out.setSeconds(string(s))
	}
	return out, true
}
