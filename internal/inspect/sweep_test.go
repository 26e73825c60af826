package inspect

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/rollout"
	"rollbook/internal/zstdio"
)

// sweepLog is short and has something of everything.
func sweepLog() string {
	return string(must(os.ReadFile("testdata/losses.jsonl"))) +
		lines("", msg("naïve “text” \\ud83d\\ude00 😀"), row("response_item", `{"type":"message","role":"user","content":[1,null,{"type":"input_text","text":-1.5e3}]}`))
}

// Every prefix of a rollout is read: what stands in whole lines is reported as
// before, and a line that was cut is lost with a code that says so.
func TestTruncated(t *testing.T) {
	log := sweepLog()
	whole := inspectString(t, log)
	for n := range len(log) {
		got := readBytes(t, strings.NewReader(log[:n]), DefaultLimits)
		rep := checkReading(t, got, log[:n])
		checkOracle(t, rep, log[:n], DefaultLimits)
		before := strings.Count(log[:n], "\n")
		cut := log[strings.LastIndexByte(log[:n], '\n')+1 : n]
		complete := strings.HasPrefix(log[n:], "\n") && cut != ""
		codes := slices.DeleteFunc(whole.codesOf(), func(c string) bool { return lineOf(c) > before+1 || !complete && lineOf(c) > before })
		gotCodes := rep.codesOf()
		if cut != "" && !complete && len(gotCodes) > 0 {
			last := gotCodes[len(gotCodes)-1]
			if !strings.HasPrefix(last, "incomplete_final_line@") && !strings.HasPrefix(last, "invalid_utf8@") || lineOf(last) != before+1 {
				t.Errorf("prefix of %d bytes: cut line gives %s", n, last)
			}
			gotCodes = gotCodes[:len(gotCodes)-1]
		}
		if !slices.Equal(gotCodes, codes) {
			t.Errorf("prefix of %d bytes: diagnostics %v, want %v", n, gotCodes, codes)
		}
		if t.Failed() {
			return
		}
	}
}

// lineOf gives the line of a diagnostic as codesOf writes it.
func lineOf(code string) (n int) {
	_, place, _ := strings.Cut(code, "@")
	for _, c := range place {
		if c == '/' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// compress gives the text as a frame of many blocks.
func compress(text string, opts ...zstd.EOption) []byte {
	var b bytes.Buffer
	z := must(zstd.NewWriter(&b, opts...))
	for part := range slices.Chunk([]byte(text), 500) {
		if _, err := z.Write(part); err != nil {
			panic(err)
		}
		if err := z.Flush(); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// readZst reads a compressed rollout under the name that it would have.
func readZst(tb testing.TB, data []byte) *reading {
	tb.Helper()
	src, err := OpenStream(bytes.NewReader(data), "r.jsonl.zst", DefaultLimits)
	if err != nil {
		tb.Fatal(err)
	}
	defer src.Close()
	got, err := read(src)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// Every prefix of a compressed rollout is read as far as it goes, and says
// where it ends.
func TestTruncatedZst(t *testing.T) {
	log := sweepLog()
	data := compress(log)
	whole := readZst(t, data)
	checkOracle(t, checkReading(t, whole, log), log, DefaultLimits)
	if whole.Report.SnapshotBytes != int64(len(data)) || whole.Report.Bytes != int64(len(log)) {
		t.Errorf("snapshot of %d bytes, %d read", whole.Report.SnapshotBytes, whole.Report.Bytes)
	}
	most := 0
	for n := range len(data) {
		got := readZst(t, data[:n])
		text := log[:got.Report.Bytes]
		rep := checkReading(t, got, text)
		if n == 0 {
			wantCodes(t, rep)
			continue
		}
		codes := rep.codesOf()
		last := codes[len(codes)-1]
		if !strings.HasPrefix(last, "damaged_compression@") || lineOf(last) != strings.Count(text, "\n")+1 || strings.Contains(strings.Join(codes[:len(codes)-1], " "), "damaged") {
			t.Fatalf("prefix of %d bytes: diagnostics %v", n, codes)
		}
		if rep.State != "partial" {
			t.Fatalf("prefix of %d bytes: state %s", n, rep.State)
		}
		most = max(most, len(rep.Events))
	}
	if most < 4 {
		t.Errorf("at most %d events before the damage", most)
	}
}

// A byte that is wrong is damage or another text, and never more.
func TestDamagedZst(t *testing.T) {
	data := compress(sweepLog(), zstd.WithEncoderCRC(true))
	damaged := 0
	for i := range data {
		wrong := bytes.Clone(data)
		wrong[i] ^= 0x55
		got := readZst(t, wrong)
		rep := decodeReport(t, got.JSON)
		checkState(t, rep)
		checkForms(t, rep, got)
		if strings.Contains(strings.Join(rep.codesOf(), " "), "damaged_compression@") {
			damaged++
		}
		if t.Failed() {
			t.Fatalf("byte %d", i)
		}
	}
	if damaged < len(data)*9/10 {
		t.Errorf("%d of %d damages were seen", damaged, len(data))
	}
}

// The line at which a compressed rollout breaks is lost, whole as it may look.
func TestZstBreaksAtLine(t *testing.T) {
	log := lines(meta("s"), msg("a"))
	for _, tt := range []struct {
		text string
		want string
	}{
		{log, "damaged_compression@3"},
		{log + msg("b"), "damaged_compression@3"},
		{log + "x", "damaged_compression@3"},
	} {
		frame := compress(tt.text, zstd.WithEncoderCRC(true))
		frame[len(frame)-1] ^= 1 // the checksum
		rep := checkReading(t, readZst(t, frame), tt.text)
		wantCodes(t, rep, tt.want)
		if len(rep.Events) != 1 {
			t.Errorf("%d events", len(rep.Events))
		}
	}
	// Bytes behind the last frame that are none.
	wantCodes(t, checkReading(t, readZst(t, append(compress(log), "garbage"...)), log), "damaged_compression@3")
	// Several frames are one text, and the limit is of the text.
	two := append(compress(log), compress(lines(msg("b")))...)
	if rep := checkReading(t, readZst(t, two), log+lines(msg("b"))); len(rep.Events) != 2 {
		t.Errorf("%d events of two frames", len(rep.Events))
	}
	// A name does not make a plain file compressed, nor its absence a compressed one plain.
	if rep := checkReading(t, readZst(t, []byte(log)), log); len(rep.Events) != 1 {
		t.Errorf("%d events of a plain file", len(rep.Events))
	}
	if rep := checkReading(t, readBytes(t, bytes.NewReader(compress(log)), DefaultLimits), log); len(rep.Events) != 1 {
		t.Errorf("%d events of an unnamed frame", len(rep.Events))
	}
}

func FuzzInspect(f *testing.F) {
	for _, tt := range lineTests {
		if len(tt.line) < 5000 {
			f.Add([]byte(lines(meta("s"), row("turn_context", `{"turn_id":"t"}`)) + tt.line))
		}
	}
	for _, tt := range recordTests {
		f.Add([]byte(lines(meta("s"), tt.line)))
	}
	f.Add([]byte(sweepLog()))
	f.Add(compress(sweepLog()))
	limits := Limits{File: 1 << 20, Line: 2000}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		if zstdio.IsFrame(data) {
			src := must(OpenStream(bytes.NewReader(data), "-", limits))
			defer src.Close()
			if got, err := read(src); err == nil { // else it unpacks to too much
				rep := decodeReport(t, got.JSON)
				checkState(t, rep)
				checkForms(t, rep, got)
			}
			return
		}
		got := readBytes(t, bytes.NewReader(data), limits)
		slow := readBytes(t, iotest.OneByteReader(bytes.NewReader(data)), limits)
		if !bytes.Equal(got.JSON, slow.JSON) {
			t.Errorf("read byte by byte the report differs")
		}
		checkOracle(t, checkReading(t, got, string(data)), string(data), limits)
	})
}

// FuzzSpell holds the spelling of strings to their meaning.
func FuzzSpell(f *testing.F) {
	f.Add([]byte(`"\u0041\/\ud83d\ude00\\u0041\u001f\"\n"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := rollout.Raw(data)
		var env rollout.Envelope
		if rollout.Scan(v, &env) != rollout.NoFault || v[0] != '"' || v[len(v)-1] != '"' {
			return
		}
		spelled := appendSpelled(nil, v)
		checkSpelling(t, spelled)
		want, _ := v.Text()
		if got, _ := rollout.Raw(spelled).Text(); got != want {
			t.Errorf("%s is spelled %s", v, spelled)
		}
		if quoted := AppendQuoted(nil, want); !bytes.Equal(quoted, spelled) {
			t.Errorf("%s is spelled %s, its text %s", v, spelled, quoted)
		}
		if !env.Respell && !bytes.Equal(v, spelled) {
			t.Errorf("%s needs spelling", v)
		}
	})
}
