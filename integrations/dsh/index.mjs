/**
 * Plugin of the DeepSeek Harness: the slash command /import-codex runs
 * "rollbook import-codex" and shows what it says. No model takes part in it.
 *
 * Config: rollbook, the program to run (default: ROLLBOOK_BIN, else rollbook on
 * the PATH). DSH_CODEX_IMPORT_SELFTEST=FILE writes down what was registered, for
 * where no slash command can be typed.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

export const name = 'rollbook-import-codex'
export const inject = ['commands']

const COMMANDS = ['list', 'convert', 'sync', 'audit', 'verify', 'rollback']
const USAGE = `Usage: /import-codex [${COMMANDS.join('|')}] [options]; without a command: list`
const MOST = 64 * 1024 // characters of an answer

/** Splits a line at blanks; quotes hold words together, a backslash the next character. */
export function words (line) {
  const out = []
  let word
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const c = line[i]
    if (c === '\\' && quote !== "'" && i + 1 < line.length) word = (word ?? '') + line[++i]
    else if (quote !== '') { if (c === quote) quote = ''; else word += c } else if (c === '"' || c === "'") { quote = c; word ??= '' } else if (/\s/.test(c)) {
      if (word !== undefined) out.push(word)
      word = undefined
    } else word = (word ?? '') + c
  }
  if (quote !== '') throw new Error(`the quote ${quote} is not closed`)
  if (word !== undefined) out.push(word)
  return out
}

/** Runs rollbook, without a shell, and gathers what it says. */
function run (program, args, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['import-codex', ...args], { stdio: ['ignore', 'pipe', 'pipe'], signal })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (part) => { if (text.length < MOST) text += part })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, text: text.length > MOST ? text.slice(0, MOST) + '\n[...]' : text }))
  })
}

async function importCodex (program, { rawInput, signal }) {
  let args
  try { args = words(rawInput) } catch (error) { return { kind: 'error', text: `${error.message}. ${USAGE}` } }
  if (args.length === 0 || args[0].startsWith('-')) args.unshift('list')
  if (!COMMANDS.includes(args[0])) return { kind: 'error', text: USAGE }
  try {
    const { code, text } = await run(program, args, signal)
    return { kind: code === 0 ? 'success' : 'error', text: text.trim() || `rollbook ended with ${code}` }
  } catch (error) {
    if (signal.aborted) return { kind: 'error', text: 'Import cancelled.' }
    return { kind: 'error', text: `${program} cannot be run: ${error.message}` }
  }
}

export function apply (ctx, config) {
  const program = config?.rollbook ?? process.env.ROLLBOOK_BIN ?? 'rollbook'
  const selftest = process.env.DSH_CODEX_IMPORT_SELFTEST
  const tell = (result) => { if (selftest) writeFileSync(selftest, JSON.stringify({ plugin: name, command: 'import-codex', ...result }) + '\n', { mode: 0o600 }) }
  try {
    ctx.effect(function * () {
      yield ctx.commands.register({
        name: 'import-codex',
        description: 'Import Codex threads as sessions',
        input: { hint: `${COMMANDS.join('|')} [--since-hours N] [--session ID] ...` },
        handler: (invocation) => importCodex(program, invocation)
      })
    }, 'import-codex command')
    tell({ registered: true, program })
  } catch (error) {
    tell({ registered: false, error: String(error?.message ?? error) })
    throw error
  }
}
