// Judges the session logs below a folder with the harness's own code: its codec
// and restore validator of format 3, its tables of events, its image store.
//
// As a program: node verify.mjs ROOTS SESSIONS_ROOT [DSH_HOME], where ROOTS is a
// JSON array of folders from which the harness's packages can be resolved. It
// prints JSON lines: first {"packages"} or {"missing"}, then one for each log,
// {"path", "id", "frames", "events", "images", "faults": {check: words}}.
// A check that could not be made because an earlier one failed is not named.
import { createRequire } from 'node:module'
import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as zlib from 'node:zlib'

export const LOG = 'session.v3.jsonl.zstd'
const SCOPE = '@deepseek-ai/'
const NEEDED = {
  v3: 'dsh-session-format-v2-to-v3', // codec and restore validator of format 3
  v2: 'dsh-session-format-v1-to-v2', // which members an event has; the same in 2 and 3
  v1: 'dsh-session-format-v0-to-v1', // what the members must be
  store: 'dsh-attachment-local'
}

/** Loads the harness's packages, each from the first folder that has it. */
export async function packages (roots) {
  const found = { missing: [], versions: {} }
  for (const [key, name] of Object.entries(NEEDED)) {
    const at = locate(roots, SCOPE + name)
    if (at === undefined) { found.missing.push(SCOPE + name); continue }
    found[key] = await import(pathToFileURL(at).href)
    found.versions[SCOPE + name] = versionOf(at)
  }
  return found
}

export function locate (roots, name) {
  for (const root of roots) {
    try { return createRequire(join(root, 'package.json')).resolve(name) } catch {}
  }
}

function versionOf (file) {
  for (let dir = dirname(file); dir !== dirname(dir); dir = dirname(dir)) {
    try {
      const { version } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
      if (version) return version
    } catch {}
  }
}

/** Every log below a folder, by path. Links are not followed. */
export function logsBelow (dir) {
  const out = []
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) out.push(...logsBelow(path))
    else if (entry.isFile() && entry.name === LOG) out.push(path)
  }
  return out.sort()
}

/** The end of the zstd frame that begins at an offset, by its headers only. */
function frameAt (buf, at) {
  const take = (n) => {
    if (pos + n > buf.length) throw new Error(`frame at byte ${at} is cut off`)
    pos += n
    return buf.readUIntLE(pos - n, n)
  }
  let pos = at
  if (take(4) !== 0xfd2fb528) throw new Error(`no zstd frame at byte ${at}`)
  const flags = take(1)
  if (flags & 8) throw new Error(`frame at byte ${at} has a reserved bit`)
  const whole = (flags & 32) !== 0
  const skip = (whole ? 0 : 1) + [0, 1, 2, 4][flags & 3] + [whole ? 1 : 0, 2, 4, 8][flags >> 6]
  for (let i = 0; i < skip; i++) take(1)
  for (let last = false; !last;) {
    const head = take(3)
    const kind = (head >> 1) & 3
    last = (head & 1) === 1
    if (kind === 3) throw new Error(`frame at byte ${at} has a reserved block`)
    pos += kind === 1 ? 1 : head >>> 3
  }
  const checked = (flags & 4) !== 0
  if (checked) pos += 4
  if (pos > buf.length) throw new Error(`frame at byte ${at} is cut off`)
  return { end: pos, checked }
}

/** A log as it lies on disk: its header, its events, and its frames' count. */
export function readLog (path) {
  const raw = readFileSync(path)
  const texts = []
  for (let at = 0; at < raw.length;) {
    const { end, checked } = frameAt(raw, at)
    if (!checked) throw new Error(`frame ${texts.length + 1} has no checksum`)
    texts.push(zlib.zstdDecompressSync(raw.subarray(at, end)).toString('utf8'))
    at = end
  }
  if (texts.length === 0) throw new Error('no frame')
  texts.forEach((text, i) => { if (!text.endsWith('\n')) throw new Error(`frame ${i + 1} does not end a line`) })
  if (texts[0].indexOf('\n') !== texts[0].length - 1) throw new Error('frame 1 is not the header line alone')
  const body = texts.slice(1).join('')
  const rows = body.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))
  return { header: JSON.parse(texts[0]), rows, frames: texts.length }
}

/** The harness's codec, strict, and its validator of what is restored. */
export function restore (pkg, log) {
  const events = []
  const into = {
    emitEvent: (event) => events.push(event),
    emitRun: () => { throw new Error('format 3 has no packed runs') }
  }
  const decoder = pkg.v3.releasedV3SessionFormatCodec.createDecoder(log.header, 'strict')
  for (const row of log.rows) decoder.decodeRow(row, into)
  const inheritedEventCount = decoder.finish(into)
  pkg.v3.restoreReleasedV3Artifact({ header: decoder.header, events, inheritedEventCount }, undefined)
  return events
}

function checkMembers (pkg, events) {
  for (const { type, seq, data, ignorable, ...rest } of events) {
    const known = pkg.v2.RELEASED_V2_EVENT_DISPOSITIONS[type]
    if (type === 'system/message' || (known === undefined && ignorable === true)) continue
    if (known === undefined) throw new Error(`event ${seq}: type ${type} is not known`)
    for (const key of known.required) if (!Object.hasOwn(data, key)) throw new Error(`event ${seq}: ${type} without ${key}`)
    const allowed = new Set([...known.required, ...known.optional])
    for (const key of Object.keys(data)) if (!allowed.has(key)) throw new Error(`event ${seq}: ${type} with ${key}`)
    if (type !== 'assistant/attempt') pkg.v1.assertReleasedPayloadSemantics({ type, seq, data, ...rest }, 2)
  }
}

const messageOf = (event) => event.type === 'user/message'
  ? event.data
  : ['system/message', 'assistant/message', 'tool/result'].includes(event.type) ? event.data.message : undefined

function checkSettlement (events) {
  const seen = new Set()
  const positive = (n) => Number.isSafeInteger(n) && n > 0
  for (const event of events) {
    const message = messageOf(event)
    if (message === undefined) continue
    if (typeof message.id !== 'string' || message.id === '') throw new Error(`event ${event.seq}: message without id`)
    if (seen.has(message.id)) throw new Error(`event ${event.seq}: id ${message.id} is used twice`)
    seen.add(message.id)
    const { turn, step, stream } = event.data
    if (event.type === 'assistant/message' && !(positive(turn) && positive(step) && Array.isArray(stream))) {
      throw new Error(`event ${event.seq}: assistant/message without turn, step or stream`)
    }
  }
}

/** Each call has a block, an event and one result. */
function checkCalls (events) {
  const state = new Map()
  const move = (id, from, to, event) => {
    if (state.get(id) !== from) throw new Error(`event ${event.seq}: call ${id} is ${state.get(id) ?? 'unknown'}, want ${from ?? 'unknown'}`)
    state.set(id, to)
  }
  for (const event of events) {
    if (event.type === 'assistant/message') {
      for (const block of event.data.message.content) if (block.type === 'tool-call') move(block.id, undefined, 'declared', event)
    } else if (event.type === 'tool/call') move(event.data.callId, 'declared', 'called', event)
    else if (event.type === 'tool/result') move(event.data.message.content[0].toolCallId, 'called', 'answered', event)
  }
  for (const [id, at] of state) if (at !== 'answered') throw new Error(`call ${id} ends ${at}`)
}

/** The events that the harness itself appends when a person goes on. */
export function nextTurn (log, events) {
  let head = events.find((event) => event.surfaceOp !== undefined)
  head = head?.type === 'system/message' ? head.seq : undefined
  for (const event of events) if (event.type === 'system/message' && event.surfaceOp?.startSeq === head) head = event.seq
  const turn = 1 + events.reduce((n, event) => event.type === 'turn/start' ? Math.max(n, event.data.turn) : n, 0)
  const at = { turn, step: 1 }
  const text = (words) => [{ type: 'text', text: words }]
  const system = { id: 'next-system', role: 'system', source: { kind: 'plugin', plugin: SCOPE + 'dsh-system-prompt' }, content: text('You are here.') }
  const replaced = { surfaceOp: { op: 'replace', startSeq: head, endSeq: head }, sourceEventSeqs: [head] }
  const append = { surfaceOp: 'append' }
  const time = events.at(-1)?.time ?? log.header.createdAt
  return [
    ['session/end-seed', {}], ['turn/start', { turn }], ['step/start', at],
    ['system/message', { ...at, message: system }, head === undefined ? append : replaced],
    ['user/message', { id: 'next-user', role: 'user', source: { kind: 'user' }, content: text('go on') }, append],
    ['assistant/message', { ...at, stream: [], message: { id: 'next-assistant', role: 'assistant', source: { kind: 'model', provider: 'none', model: 'none' }, content: text('yes') } }, append],
    ['step/end', at], ['turn/end', { turn, reason: { kind: 'completed' } }]
  ].map(([type, data, more], i) => ({ type, seq: events.length + i, time, data, ...more }))
}

/** The references of all images in a value. */
export function imagesIn (value, out = []) {
  if (value === null || typeof value !== 'object') return out
  if (value.type === 'image' && value.attachment) out.push(value.attachment)
  for (const part of Object.values(value)) imagesIn(part, out)
  return out
}

const units = (text) => text.split('')
const safe = (c) => /[\w.-]/.test(c) ? c : '~' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
const folderOf = (id) => /^\.{1,2}$/.test(id) ? '~002E'.repeat(id.length) : units(id).map(safe).join('')
function projectOf (cwd) {
  if (cwd === undefined) return '_no-cwd'
  const key = cwd.split(/[/\\:]+/).map((part) => units(part).map(safe).join('')).join('-').replace(/^-+/, '')
  return `--${(key || 'root').slice(0, 251)}--`
}

function checkPlace (log, path) {
  const dir = dirname(path)
  const want = join(projectOf(log.header.cwd), folderOf(log.header.id))
  const is = join(basename(dirname(dir)), basename(dir))
  if (is !== want) throw new Error(`lies in ${is}, want ${want}`)
  const mode = (name) => (lstatSync(name).mode & 0o777).toString(8)
  if (process.platform !== 'win32' && (mode(path) !== '600' || mode(dir) !== '700')) {
    throw new Error(`modes ${mode(path)} and ${mode(dir)}, want 600 and 700`)
  }
}

/** Judges one log. */
export async function judge (pkg, path, home) {
  const verdict = { path, faults: {} }
  const check = (name, make) => {
    try { return make() } catch (error) { verdict.faults[name] = String(error?.message ?? error).slice(0, 500) }
  }
  const log = check('frames', () => readLog(path))
  if (log === undefined) return verdict
  Object.assign(verdict, { id: log.header.id, frames: log.frames, events: log.rows.length, images: 0 })
  check('place', () => checkPlace(log, path))
  const events = check('restore', () => restore(pkg, log))
  if (events !== undefined) {
    check('members', () => checkMembers(pkg, events))
    check('settlement', () => checkSettlement(events))
    check('calls', () => checkCalls(events))
    check('continuation', () => restore(pkg, { ...log, rows: [...log.rows, ...nextTurn(log, events)] }))
  }
  for (const reference of imagesIn(log.rows)) {
    verdict.images++
    await pkg.store.readImageFile(join(home, 'attachments', 'v1'), reference)
      .catch((error) => { verdict.faults.images ??= `${reference.attachmentId}: ${error.message}` })
  }
  return verdict
}

async function main ([roots, sessions, home]) {
  const say = (value) => process.stdout.write(JSON.stringify(value) + '\n')
  const pkg = await packages(JSON.parse(roots))
  if (zlib.zstdDecompressSync === undefined) pkg.missing.push('node 22.15 or newer')
  if (pkg.missing.length > 0) return say({ missing: pkg.missing })
  say({ packages: pkg.versions })
  const root = resolve(sessions)
  for (const path of logsBelow(root)) say(await judge(pkg, path, home ?? dirname(root)))
}

if (process.argv[1] === 'verify' || process.argv[1]?.endsWith('verify.mjs')) await main(process.argv.slice(2))
