package dsh

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// goOn puts events behind a log: each is a type, a blank, data and, behind a
// tab, the members beside it. SEQ stands for the event's own seq.
func goOn(text string, events ...string) string {
	seq := strings.Count(text, "\n") - 1
	for _, ev := range events {
		kind, data, _ := strings.Cut(ev, " ")
		data, beside, _ := strings.Cut(data, "\t")
		if beside != "" {
			beside = "," + beside
		}
		line := fmt.Sprintf(`{"type":%q,"seq":%d,"time":1767225700000,"data":%s%s}`, kind, seq, data, beside)
		text += strings.ReplaceAll(line, "SEQ", fmt.Sprint(seq)) + "\n"
		seq++
	}
	return text
}

const (
	onSurface = "\t" + `"surfaceOp":"append"`
	headData  = `{"turn":2,"step":1,"message":{"id":"h-SEQ","role":"system","source":{"kind":"plugin","plugin":"@deepseek-ai/dsh-system-prompt"},"content":[{"type":"text","text":"prompt"}]}}`
	newHead   = `system/message ` + headData + "\t" + `"surfaceOp":{"op":"replace","startSeq":5,"endSeq":5},"sourceEventSeqs":[5]`
	header    = `request/header {"header":{"config":{"provider":"p","model":"m","temperature":0.5,"maxTokens":5,"stop":["x"]},"adapterDefaults":{"maxTokens":true},"tools":[{"name":"t","description":"","parameters":{}}]},"reason":"initial"}`
	answer    = `assistant/message {"turn":2,"step":1,"message":{"id":"a-SEQ","role":"assistant","source":{"kind":"model","provider":"p","model":"m"},"content":[{"type":"text","text":"ok"}]},"stream":[]}` + onSurface
	closing   = `step/end {"turn":2,"step":1}` + "\n" + `turn/end {"turn":2,"reason":{"kind":"completed"}}`
)

// turn2 is a second turn with the given events in its step.
func turn2(text string, events ...string) string {
	all := append([]string{`session/end-seed {}`, `turn/start {"turn":2}`, `step/start {"turn":2,"step":1}`}, events...)
	return goOn(text, append(all, strings.Split(closing, "\n")...)...)
}

// in2 is a case with these events in the second turn.
func in2(name string, check Check, events ...string) ruleCase {
	return ruleCase{name, check, func(text string) string { return turn2(text, events...) }}
}

// behind is a case with these events behind the example.
func behind(name string, check Check, events ...string) ruleCase {
	return ruleCase{name, check, func(text string) string { return goOn(text, events...) }}
}

func summary(start, end int, seqs string) string {
	return fmt.Sprintf(`compaction/summary {"compactionId":"k","summary":[{"type":"text","text":"s"}],"shadowedRange":{"start":%d,"end":%d},"shadowedSeqs":%s,"shadowedTokenCount":1,"provider":"p","model":"m"}`, start, end, seqs)
}

func checkpoint(start, end int, id string) string {
	return fmt.Sprintf(`user/message {"id":"k-SEQ","role":"user","source":{"kind":"plugin","plugin":"compact","compactionId":%q},"content":[{"type":"text","text":"s"}]}`+"\t"+
		`"surfaceOp":{"op":"replace","startSeq":%d,"endSeq":%d},"sourceEventSeqs":[[%d,%d]]`, id, start, end, start, end)
}

const (
	begin = `compaction/start {"compactionId":"k","turn":null}`
	end   = `compaction/end {"compactionId":"k","turn":null}`
	retry = `llm/retry {"retryId":"r","turn":2,"step":1,"provider":"p","mode":"normal","policyKey":"k","retry":1,"delayMs":0.5,"failure":{"message":"m","code":"c","status":500,"providerRetryAfterMs":1},"maxRetries":2}`
	again = `llm/retry-started {"retryId":"r","turn":2,"step":1,"retry":1}`
	run   = `command/run {"commandId":"c","name":"n","source":{"kind":"user"}}`
	done  = `command/done {"commandId":"c","kind":"success"}`
	start = `tool/ptc-dispatch-start {"rootCallId":"r","parentCallId":"r","subCallId":"s","name":"n","arguments":{"a":1,"b":[0]}}` + "\t" + `"ignorable":true`
	stop  = `tool/ptc-dispatch {"rootCallId":"r","parentCallId":"r","subCallId":"s","name":"n","arguments":{"b":[0],"a":1.0},"isError":false,"content":[]}` + "\t" + `"ignorable":true`
)

// TestContinued: what the harness adds when it goes on is read, and its rules are
// held (V14 to V16).
func TestContinued(t *testing.T) {
	said := func(kind string) string {
		return `user/message {"id":"u-SEQ","role":"user","source":` + kind + `,"content":[{"type":"text","text":"x"}]}` + onSurface
	}
	edit := strings.Replace
	runCases(t, exampleText, []ruleCase{
		in2("a turn", "", newHead, header, said(`{"kind":"user","rpcId":"r"}`), answer),
		in2("new head appended", "", `system/message `+headData+onSurface, answer),
		in2("head replaced with more", CheckHead, `system/message `+headData+"\t"+`"surfaceOp":{"op":"replace","startSeq":5,"endSeq":6},"sourceEventSeqs":[5,6]`),
		in2("head replaced without sources", CheckRefs, `system/message `+headData+"\t"+`"surfaceOp":{"op":"replace","startSeq":5,"endSeq":5}`),
		in2("head replaced by a user", CheckHead, `user/message {"id":"u","role":"user","source":{"kind":"user"},"content":[]}`+"\t"+`"surfaceOp":{"op":"replace","startSeq":5,"endSeq":5},"sourceEventSeqs":[5]`),
		in2("head has no plugin", CheckPayload, edit(newHead, `"kind":"plugin","plugin":"@deepseek-ai/dsh-system-prompt"`, `"kind":"user"`, 1)),
		in2("replaced off the surface", CheckRefs, `user/message {"id":"u","role":"user","source":{"kind":"user"},"content":[]}`+"\t"+`"surfaceOp":{"op":"replace","startSeq":8,"endSeq":9},"sourceEventSeqs":[8,9]`),
		in2("replaced backwards", CheckRefs, `user/message {"id":"u","role":"user","source":{"kind":"user"},"content":[]}`+"\t"+`"surfaceOp":{"op":"replace","startSeq":9,"endSeq":7},"sourceEventSeqs":[7,9]`),
		in2("replace of itself", CheckSurface, `user/message {"id":"u","role":"user","source":{"kind":"user"},"content":[]}`+"\t"+`"surfaceOp":{"op":"replace","startSeq":9,"endSeq":SEQ},"sourceEventSeqs":[9]`),
		in2("replace with more", CheckSurface, `user/message {"id":"u","role":"user","source":{"kind":"user"},"content":[]}`+"\t"+`"surfaceOp":{"op":"replace","startSeq":9,"endSeq":9,"x":1},"sourceEventSeqs":[9]`),
		in2("message id of the first part", CheckID, `user/message {"id":"m-3","role":"user","source":{"kind":"user"},"content":[]}`+onSurface),

		in2("header outside", "", header),
		behind("header outside of a turn", CheckTurns, header),
		behind("context outside of a turn", CheckTurns, `request/context {"provider":"p","model":"m"}`),
		in2("header reason", CheckPayload, edit(header, "initial", "first", 1)),
		in2("header system", CheckPayload, edit(header, `"tools":`, `"system":"s","tools":`, 1)),
		in2("header empty tools", CheckPayload, edit(header, `[{"name":"t","description":"","parameters":{}}]`, `[]`, 1)),
		in2("header empty defaults", CheckPayload, edit(header, `{"maxTokens":true}`, `{}`, 1)),
		in2("header default without value", CheckPayload, edit(header, `"maxTokens":5,`, ``, 1)),
		in2("header tool without parameters", CheckPayload, edit(header, `,"parameters":{}`, ``, 1)),

		behind("inherited mark without a seed", CheckRefs, `session/end-seed {"inherited":true}`),
		{"seeded", "", func(text string) string {
			return strings.Replace(goOn(text, `session/end-seed {"inherited":true}`), `"isSeeded":false`, `"isSeeded":true`, 1)
		}},
		behind("delivery of another", CheckRefs, `session-log-deepseek/delivery-accepted {"sessionId":"other","throughSeq":3,"sessionFormatVersion":2}`),
		behind("delivery of another format", "", `session-log-deepseek/delivery-accepted {"sessionId":7,"throughSeq":99}`),
		behind("delivery of later", CheckPayload, `session-log-deepseek/delivery-accepted {"sessionId":"x","throughSeq":99,"sessionFormatVersion":2}`),
		{"delivery inherited", "", func(text string) string {
			text = goOn(text, `session-log-deepseek/delivery-accepted {"sessionId":"other","throughSeq":3,"sessionFormatVersion":2}`, `session/end-seed {"inherited":true}`)
			return strings.Replace(text, `"isSeeded":false`, `"parentSession":"other","isSeeded":true`, 1)
		}},
		{"delivery not inherited", CheckRefs, func(text string) string {
			text = goOn(text, `session/end-seed {"inherited":true}`, `session-log-deepseek/delivery-accepted {"sessionId":"other","throughSeq":3,"sessionFormatVersion":2}`)
			return strings.Replace(text, `"isSeeded":false`, `"parentSession":"other","isSeeded":true`, 1)
		}},

		behind("compaction", "", begin, summary(6, 9, "[6,7,9]"), checkpoint(6, 9, "k"), end),
		behind("compaction fails", "", begin, edit(end, `null`, `null,"error":"e"`, 1)),
		behind("compaction without summary", CheckRefs, begin, end),
		behind("compaction twice summed", CheckRefs, begin, summary(6, 9, "[6,7,9]"), summary(6, 9, "[6,7,9]"), end),
		behind("compaction of part", CheckRefs, begin, summary(6, 9, "[6,9]"), end),
		behind("compaction of more", CheckRefs, begin, summary(6, 8, "[6,7,8]"), end),
		behind("compaction backwards", CheckRefs, begin, summary(9, 6, "[9,7,6]"), end),
		behind("compaction range", CheckPayload, begin, summary(6, 7, "[6,7,9]"), end),
		behind("compaction of the head", CheckHead, begin, summary(5, 9, "[5,6,7,9]"), end),
		behind("compaction within", CheckRefs, begin, begin),
		behind("compaction of another", CheckRefs, begin, edit(end, `"k"`, `"l"`, 1)),
		behind("compaction by a command", CheckRefs, edit(begin, `null`, `null,"sourceCommandId":"c"`, 1), edit(end, `null`, `null,"error":""`, 1)),
		behind("compaction in no turn", CheckTurns, edit(begin, `null`, `0`, 1)),
		behind("compaction ends nowhere", "", begin),
		behind("compaction crossed", CheckTurns, begin, `turn/start {"turn":2}`, `turn/end {"turn":2,"reason":{"kind":"completed"}}`),
		behind("compaction crossed then restarted", "", begin, `turn/start {"turn":2}`, `turn/end {"turn":2,"reason":{"kind":"completed"}}`, `session/end-seed {}`),
		behind("compaction crossed then ended", CheckTurns, begin, `turn/start {"turn":2}`, `turn/end {"turn":2,"reason":{"kind":"completed"}}`, edit(end, `null`, `null,"error":"e"`, 1), `session/end-seed {}`),
		behind("checkpoint of nothing", CheckRefs, checkpoint(6, 9, "k")),
		behind("checkpoint without id", CheckPayload, edit(checkpoint(6, 9, "k"), `,"compactionId":"k"`, ``, 1)),
		behind("prune", "", `compaction/prune {"shadowedRange":{"start":7,"end":7},"shadowedSeqs":[7],"shadowedTokenCount":1}`),
		behind("prune of nothing", CheckRefs, `compaction/prune {"shadowedRange":{"start":8,"end":8},"shadowedSeqs":[8],"shadowedTokenCount":1}`),
		behind("prune empty", CheckPayload, `compaction/prune {"shadowedRange":{"start":7,"end":7},"shadowedSeqs":[],"shadowedTokenCount":1}`),

		in2("retries", "", header, retry, again, edit(retry, `"retry":1`, `"retry":2`, 1)),
		in2("retry skips", CheckRefs, header, edit(retry, `"retry":1`, `"retry":2`, 1)),
		in2("retry beyond", CheckPayload, header, edit(retry, `"retry":1`, `"retry":3`, 1)),
		in2("retry always", "", header, edit(edit(retry, `,"maxRetries":2`, ``, 1), `normal`, `always`, 1)),
		in2("retry always with a most", CheckPayload, header, edit(retry, `normal`, `always`, 1)),
		in2("retry of another", CheckRefs, header, edit(retry, `"provider":"p"`, `"provider":"q"`, 1)),
		in2("retry without header", CheckRefs, retry),
		in2("retry of another step", CheckTurns, header, edit(retry, `"step":1`, `"step":2`, 1)),
		in2("retry changes its id", CheckRefs, header, retry, edit(edit(retry, `"retry":1`, `"retry":2`, 1), `"r"`, `"s"`, 1)),
		in2("retry takes an id", CheckRefs, header, retry, edit(retry, `"k"`, `"l"`, 1)),
		in2("retry began twice", CheckRefs, header, retry, again, again),
		in2("retry began alone", CheckRefs, header, again),
		in2("retry began elsewhere", CheckTurns, header, retry, edit(again, `"step":1`, `"step":2`, 1)),
		in2("retry too late", CheckPayload, header, edit(retry, `0.5`, `2147483648`, 1)),

		behind("commands", "", run, done, edit(done, `success"`, `success","sourceEventSeq":3,"text":""`, 1)),
		behind("command twice", CheckRefs, run, run),
		behind("command not run", CheckRefs, done),
		behind("command cites itself", CheckRefs, run, edit(done, `success"`, `success","sourceEventSeq":16`, 1)),
		behind("command fails and cites", CheckRefs, run, edit(done, `success"`, `error","sourceEventSeq":3`, 1)),

		in2("nested", "", start, stop),
		in2("nested not ignorable", CheckEvent, edit(start, "\t"+`"ignorable":true`, "", 1)),
		in2("nested twice", CheckTools, start, start),
		in2("nested ends alone", CheckTools, stop),
		in2("nested ends twice", CheckTools, start, stop, stop),
		in2("nested ends as another", CheckTools, start, edit(stop, `[0]`, `[1]`, 1)),
		in2("nested below nothing", CheckTools, edit(start, `"parentCallId":"r"`, `"parentCallId":"q"`, 1)),
		in2("nested below", "", start, edit(edit(start, `"parentCallId":"r"`, `"parentCallId":"s"`, 1), `"subCallId":"s"`, `"subCallId":"t"`, 1)),
		in2("nested changes its root", CheckTools, start, edit(edit(stop, `"rootCallId":"r"`, `"rootCallId":"q"`, 1), `"parentCallId":"r"`, `"parentCallId":"q"`, 1)),
		behind("nested outside of a turn", CheckTurns, start),

		in2("attempt", "", `assistant/attempt {"turn":2,"step":1,"stream":[]}`),
		in2("attempt of another step", CheckTurns, `assistant/attempt {"turn":2,"step":2,"stream":[]}`),
		behind("title by a model", "", `session/title {"title":"t","messageSeqs":[6],"source":{"kind":"provider","provider":"p","model":{"provider":"p","model":"m"}}}`),
		behind("title asked", "", `session/title-llm-request {"titleProvider":"p","messageSeqs":[6],"route":{"provider":"p","model":"m"},"system":"","messages":[{"id":"q","role":"user","source":{"kind":"plugin","plugin":"dsh-session-title-llm"},"content":[{"type":"text","text":"t"}]}],"maxTokens":5}`),
		behind("title asked of a user", CheckRefs, `session/title-llm-request {"titleProvider":"p","messageSeqs":[6],"route":{"provider":"p","model":"m"},"system":"","messages":[{"id":"q","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"t"}]}],"maxTokens":5}`),
		behind("title asked of two", CheckRefs, `session/title-llm-request {"titleProvider":"p","messageSeqs":[6],"route":{"provider":"p","model":"m"},"system":"","messages":[],"maxTokens":5}`),
		behind("title cites twice", CheckPayload, `session/title {"title":"t","messageSeqs":[6,6],"source":{"kind":"fallback"}}`),
		behind("ends with a user", "", said(`{"kind":"user"}`)),
	})
}

// TestManyFrames: a log in one frame per event is verified like the same in two.
func TestManyFrames(t *testing.T) {
	text := turn2(exampleText, newHead, header, answer)
	log := frames(t, strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")...)
	log = append(log, frames(t, "\n")...)
	info, fault, err := CheckLog(bytes.NewReader(log), int64(len(log)))
	if err != nil || fault == nil || fault.Check != CheckFrames {
		t.Errorf("a line without its newline: %v, %v", fault, err)
	}
	last := strings.LastIndex(text[:len(text)-1], "\n") + 1
	log = append(frames(t, strings.SplitAfter(text[:last-1]+"\n", "\n")[:strings.Count(text, "\n")-1]...), frame(t, true, text[last:])...)
	info, fault, err = CheckLog(bytes.NewReader(log), int64(len(log)))
	if err != nil || fault != nil || info.Frames != strings.Count(text, "\n") || info.Turns != 2 {
		t.Errorf("%+v, %v, %v", info, fault, err)
	}
	phead, body, _ := strings.Cut(text, "\n")
	two := frames(t, phead+"\n", body)
	if same, _ := probe(two); same.Digest != info.Digest {
		t.Error("another digest")
	}
	// Without a checksum a log is read, but not what the harness writes.
	bare := append(frames(t, phead+"\n"), frame(t, false, body)...)
	if _, fault, err := CheckLog(bytes.NewReader(bare), int64(len(bare))); err != nil || fault == nil || fault.Check != CheckFrames {
		t.Errorf("%v, %v", fault, err)
	}
}
