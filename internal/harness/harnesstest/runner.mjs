// A plugin of the harness, in the place of its headless runner: it resumes each
// stored session and sends one prompt, and writes down how far each came.
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

export const name = 'rollbook-live'
export const inject = ['agents', 'sessions', 'sessionPersistence', 'agentDefaultModel', 'commands']

const env = process.env
const require = createRequire(env.LIVE_DSH + '/package.json')
const load = (name) => import(pathToFileURL(require.resolve('@deepseek-ai/' + name)).href)

async function soon (promise, what) {
  let timer
  const late = new Promise((_resolve, reject) => { timer = setTimeout(() => reject(new Error(what + ' takes longer than a minute')), 60000) })
  try { return await Promise.race([promise, late]) } finally { clearTimeout(timer) }
}

async function goOn (ctx, id, { installModelSelection, createUserMessage }) {
  const steps = ['listed']
  try {
    await ctx.get('sessionPersistence').load(id)
    steps.push('loaded')
    const model = { ...ctx.get('agentDefaultModel').currentSelection(), model: env.LIVE_MODEL }
    const handle = await soon(ctx.get('agents').resume({
      resumeSessionId: id,
      agentOptions: { provider: model.provider, model: model.model },
      setup: (agent) => { installModelSelection(agent, { current: model, assembled: undefined }) }
    }), 'resuming')
    const { agent } = handle
    await soon(agent.whenIdle(), 'settling')
    steps.push('resumed')
    const commands = []
    for (const line of env.LIVE_COMMANDS ? env.LIVE_COMMANDS.split('\n') : []) {
      const done = await soon(ctx.get('commands').execute(agent, line, [], new AbortController().signal), line)
      commands.push({ line, listed: ctx.get('commands').list(agent).map((c) => '/' + c.name), ...done?.result })
    }
    const before = agent.session.seq
    agent.followup(createUserMessage({ content: [{ type: 'text', text: `${env.LIVE_PROMPT}${id}.` }], source: { kind: 'user' } }))
    await soon(agent.whenIdle(), 'the prompt')
    await ctx.get('sessions').flush(agent.session)
    const added = agent.session.events.filter((event) => event.seq >= before)
    const end = added.findLast((event) => event.type === 'turn/end')?.data.reason
    const said = JSON.stringify(added.filter((event) => event.type === 'assistant/message').map((event) => event.data.message.content))
    await handle[Symbol.asyncDispose]?.()
    if (end?.kind !== 'completed' || !said.includes(env.LIVE_REPLY)) throw new Error('the turn ended with ' + JSON.stringify(end))
    steps.push('continued')
    return { steps, commands }
  } catch (error) {
    return { steps, problem: String(error?.message ?? error).slice(0, 500) }
  }
}

async function run (ctx) {
  await ctx.get('loader')?.await()
  const tools = { ...await load('dsh-agent'), ...await load('dsh-llm') }
  const report = {}
  for (const { id } of await ctx.get('sessionPersistence').list()) report[id] = await goOn(ctx, id, tools)
  writeFileSync(env.LIVE_REPORT, JSON.stringify(report))
}

export function apply (ctx) {
  const exit = ctx.get('appExit')
  run(ctx).then(() => exit(0), (error) => { console.error(error); exit(1) })
}
