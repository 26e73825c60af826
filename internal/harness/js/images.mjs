// Puts images into the harness's attachment store by the harness's own code, one
// at a time, so that a refusal costs one image only.
//
// node images.mjs ROOTS DSH_HOME reads requests from standard input, each a JSON
// line {"bytes", "mediaType"} and that many bytes of the image behind it, and
// answers each with a JSON line: {"reference"} or {"refused", "code"}. Its first
// line is {"packages"} or {"missing"}.
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const SCOPE = '@deepseek-ai/'

async function load (roots, name) {
  for (const root of roots) {
    let at
    try { at = createRequire(join(root, 'package.json')).resolve(SCOPE + name) } catch { continue }
    return { at, module: await import(pathToFileURL(at).href) }
  }
}

/** The next n bytes, or up to and with the next newline where n is undefined. */
async function * cutter (input) {
  let held = Buffer.alloc(0)
  let parts = []
  let size = 0
  let want = yield
  for await (const chunk of input) {
    parts.push(chunk); size += chunk.length
    while (true) {
      if (want !== undefined && size < want) break
      if (parts.length > 0) { held = Buffer.concat([held, ...parts]); parts = [] }
      const end = want ?? held.indexOf(10) + 1
      if (want === undefined && end === 0) break
      const piece = held.subarray(0, end)
      held = held.subarray(end); size -= end
      want = yield piece
    }
  }
}

async function main ([roots, home]) {
  const say = (value) => process.stdout.write(JSON.stringify(value) + '\n')
  const store = await load(JSON.parse(roots), 'dsh-attachment-local')
  if (store === undefined) return say({ missing: [SCOPE + 'dsh-attachment-local'] })
  // The store must share its cordis with the context that it is given.
  const cordis = await import(pathToFileURL(createRequire(store.at).resolve(SCOPE + 'cordis')).href)
  const { LocalAttachmentStore } = store.module
  const local = new LocalAttachmentStore(new cordis.Context(), LocalAttachmentStore.Config({ dshHome: resolve(home) }))
  say({ packages: [SCOPE + 'dsh-attachment-local'], root: local.root })
  const cut = cutter(process.stdin)
  await cut.next()
  for (;;) {
    const line = await cut.next(undefined)
    if (line.done) return
    const request = JSON.parse(line.value.toString('utf8'))
    const { value, done } = await cut.next(request.bytes)
    if (done) throw new Error('the image ended early')
    try {
      const [reference] = await local.saveImages([{ data: new Uint8Array(value), mediaType: request.mediaType }])
      say({ reference })
    } catch (error) {
      say({ refused: String(error?.message ?? error).slice(0, 500), code: error?.code })
    }
  }
}

await main(process.argv.slice(2))
