package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseSize(t *testing.T) {
	tests := []struct {
		text string
		want int64 // 0: refused
	}{
		{"1", 1},
		{"64MiB", 64 << 20},
		{"2GiB", 2 << 30},
		{"1024GiB", 1 << 40},
		{"1025GiB", 0},
		{"9223372036854775807KiB", 0},
		{"0", 0},
		{"-1KiB", 0},
		{"64MB", 0},
		{"", 0},
	}
	for _, test := range tests {
		got, err := parseSize(test.text)
		if got != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("parseSize(%q) = %d, %v, want %d", test.text, got, err, test.want)
		}
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		args []string
		made string // "" where it is refused
	}{
		{"rollout", []string{"--bytes", "64KiB", "--codex", "0.171.0", "-o", dir + "/big.jsonl"}, "big.jsonl"},
		{"home", []string{"--threads", "3", "--each", "1KiB", "-o", dir + "/home"}, "home/history.jsonl"},
		{"messages", []string{"--messages", "20", "-o", dir + "/messages"}, "messages/sessions"},
		{"sample", []string{"--sample", "-o", dir + "/sample"}, "sample/history.jsonl"},
		{"nothing asked", []string{"-o", dir + "/none"}, ""},
		{"no output", []string{"--bytes", "1"}, ""},
		{"unknown version", []string{"--bytes", "1", "--codex", "9", "-o", dir + "/none"}, ""},
		{"over another", []string{"--sample", "-o", dir + "/sample"}, ""},
	}
	for _, test := range tests {
		err := run(test.args)
		if (err == nil) != (test.made != "") {
			t.Errorf("%s: error %v", test.name, err)
		}
		if test.made != "" {
			if _, err := os.Stat(filepath.Join(dir, test.made)); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	}
}
