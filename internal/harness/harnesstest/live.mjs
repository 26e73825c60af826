// Has the harness's real runtime list, load, resume and continue every session
// below a folder, one prompt each, with a provider of our own on the loopback
// address; prints one JSON line for each: {"id", "steps", "problem", "messages"},
// where messages is what the provider received.
//
//   node live.mjs VERIFY ROOTS SESSIONS_ROOT DSH_HOME PROMPT [PLUGIN COMMANDS]
//
// With a plugin it is loaded too, and COMMANDS, lines with a slash, are run for each
// session: {"commands"} are their results. VERIFY is our verify.mjs. The newest runtime to be had reads format 0, so each
// log is told to it in that format, with the same events in the same order.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { constants, zstdCompressSync } from 'node:zlib'

const [verify, rootsJSON, sessionsRoot, dshHome] = process.argv.slice(2)
const { logsBelow, readLog } = await import(pathToFileURL(verify).href)
const roots = JSON.parse(rootsJSON)
const [PROMPT, PLUGIN, COMMANDS] = process.argv.slice(6)
// What a plugin of ours reads.
const PASSED = Object.fromEntries(Object.entries(process.env).filter(([key]) => /^(ROLLBOOK_BIN|CODEX_HOME|DSH_CODEX_IMPORT_.*)$/.test(key)))
const REPLY = 'gone on'

/** A log of format 3 in format 0, where the system prompt is no event. */
function inFormat0 ({ header: { isSeeded, ...header }, rows }) {
  const kept = rows.filter((row) => row.type !== 'system/message')
  const at = new Map(kept.map((row, seq) => [row.seq, seq]))
  const moved = (seqs) => seqs.flatMap((s) => Array.isArray(s) ? range(s[0], s[1]) : s).filter((s) => at.has(s)).map((s) => at.get(s))
  const restate = ({ surfaceOp: op, ...row }, seq) => {
    const out = { ...row, seq }
    if (op !== undefined) out.surfaceOp = op.op === 'replace' ? { op: 'replace', start: at.get(op.startSeq), end: at.get(op.endSeq) } : op
    if (row.sourceEventSeqs) out.sourceEventSeqs = moved(row.sourceEventSeqs)
    if (row.type === 'session/title') out.data = { ...row.data, messageSeqs: moved(row.data.messageSeqs) }
    if (row.type === 'assistant/message') {
      const { stream, ...data } = row.data
      Object.assign(out, { data, sourceEventSeqs: [] })
    }
    return out
  }
  const frame = (list) => zstdCompressSync(list.map((row) => JSON.stringify(row) + '\n').join(''), { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  return Buffer.concat([frame([{ ...header, version: 0 }]), frame(kept.map(restate))])
}

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** What is wrong with tool calls as a provider sees them, or undefined. */
function unbalanced (messages) {
  let open = []
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) return `message ${i} answers ${message.tool_call_id}, which nobody asked`
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    if (open.length > 0) return `message ${i} (${message.role}) comes before an answer to ${open[0]}`
    open = (message.tool_calls ?? []).map((call) => call.id)
    if (new Set(open).size !== open.length) return `message ${i} has a call twice`
    if (message.tool_calls?.some((call) => typeof call.function?.arguments !== 'string')) return `message ${i} has arguments that are no string`
  }
  return open.length > 0 ? `no answer to ${open[0]}` : undefined
}

const received = []
const provider = createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = JSON.parse(Buffer.concat(parts).toString('utf8'))
  received.push(body.messages)
  const problem = unbalanced(body.messages)
  if (problem !== undefined) {
    response.writeHead(400, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: problem } }))
  }
  const chunk = (delta, finish_reason = null, more = {}) => 'data: ' + JSON.stringify({
    id: 'reply', object: 'chat.completion.chunk', created: 0, model: body.model, choices: [{ index: 0, delta, finish_reason }], ...more
  }) + '\n\n'
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(chunk({ role: 'assistant', content: REPLY }) +
    chunk({}, 'stop', { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) + 'data: [DONE]\n\n')
})
await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${provider.address().port}`

const work = mkdtempSync(join(tmpdir(), 'rollbook-live-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const home = join(work, 'home')
const ids = []
const say = (value) => process.stdout.write(JSON.stringify(value) + '\n')
for (const path of logsBelow(sessionsRoot)) {
  let log
  try { log = readLog(path) } catch (error) { say({ id: path, steps: [], problem: error.message }); continue }
  ids.push(log.header.id)
  const dir = join(home, 'sessions', basename(dirname(dirname(path))), basename(dirname(path)))
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, 'session.jsonl.zstd'), inFormat0(log), { mode: 0o600 })
}
if (existsSync(join(dshHome, 'attachments'))) cpSync(join(dshHome, 'attachments'), join(home, 'attachments'), { recursive: true })

const here = dirname(fileURLToPath(import.meta.url))
writeFileSync(join(work, 'patch.yml'), `
- { id: headless-startup, disabled: true }
- { id: headless-runner, disabled: true }
- { id: session-title-llm, disabled: true }
- id: llm-deepseek
  config:
    baseURL: ${address}
    models:
      - { id: loopback, inputModalities: [text, image] }
- insert:
    - { id: rollbook-live, name: ${JSON.stringify(pathToFileURL(join(here, 'runner.mjs')).href)} }
${PLUGIN ? `    - { id: plugin, name: ${JSON.stringify(pathToFileURL(PLUGIN).href)} }\n` : ''}`)
const dsh = roots.map((root) => join(root, 'node_modules', '@deepseek-ai', 'dsh')).find((dir) => existsSync(dir))
const report = join(work, 'report.json')
const child = spawn(process.execPath, [join(dsh, 'lib', 'bin.js'), '--profile', 'headless', '--patch', join(work, 'patch.yml')], {
  cwd: work,
  env: {
    PATH: process.env.PATH, HOME: work, TMPDIR: work, DSH_HOME: home, DSH_TELEMETRY_MODE: 'DISABLED',
    ...PASSED, DEEPSEEK_API_KEY: 'none', LIVE_COMMANDS: COMMANDS ?? '', DEEPSEEK_BASE_URL: address,
    LIVE_DSH: dsh, LIVE_MODEL: 'loopback', LIVE_REPORT: report, LIVE_PROMPT: PROMPT, LIVE_REPLY: REPLY
  }
})
let talk = ''
for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { talk = (talk + text).slice(-4000) })
await new Promise((resolve) => child.on('close', resolve))
provider.close()
if (!existsSync(report)) throw new Error('the runtime wrote no report: ' + talk)
const told = JSON.parse(readFileSync(report, 'utf8'))
for (const id of ids) {
  const { steps = [], problem, commands } = told[id] ?? { problem: 'the runtime does not list it' }
  const messages = received.find((list) => JSON.stringify(list).includes(PROMPT + id + '.'))
  say({ id, steps, problem: problem ?? (messages && unbalanced(messages)), commands, messages })
}
