/** Plays episodes of the gym: over JSON lines on a live cluster, and on simulated ones with the clients of openenv-core and TRL. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProgram } from './testing/exports/ensure-trainers.ts'
import { ensureGymClients } from './testing/gym/ensure-gym-clients.ts'
import { makeRemediumHome, type RemediumHome, waitForExit } from './testing/remedium-home.ts'

/** Set by `npm run proof gym`. */
const { GYM_SESSIONS, GYM_STEPS, GYM_GROUP, GYM_IS_QUICK } = process.env
const HOUR_MS = 3_600_000
const SCRIPTS = join(import.meta.dirname, 'testing', 'gym')
const CLIENT = join(import.meta.dirname, '..', 'clients', 'python')
const SYSTEM = ['--suite', 'easy', '--system', 'simple-micro']

let home: RemediumHome
beforeAll(() => {
  home = makeRemediumHome('gym')
})
afterAll(() => home.remove())

const startStdio = () => {
  const child = home.start(['gym', 'stdio', ...SYSTEM, '--engine', 'local', '--workers', '1'], {}, 'pipe')
  const ended = waitForExit(child)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const read = async () => JSON.parse((await lines.next()).value ?? '')
  let lastId = 0
  return {
    child,
    ended,
    read,
    async ask(method: string, params: object = {}) {
      lastId += 1
      child.stdin!.write(`${JSON.stringify({ id: lastId, method, params })}\n`)
      return read()
    },
  }
}

it.runIf(GYM_SESSIONS === undefined)(
  'plays an episode over JSON lines, and leaves nothing behind',
  async () => {
    const { child, ended, read, ask } = startStdio()
    expect(await read()).toMatchObject({ ready: { engine: 'local', maxSessions: 1 } })
    const { result: first } = await ask('reset', { seed: 1 })
    expect(first.observation.text).toContain('simple-micro')
    expect(first.observation.text).not.toContain(first.info.problem)
    const { result: looked } = await ask('step', { action: { name: 'get_objects', input: { kind: 'pods' } } })
    expect(looked).toMatchObject({ observation: { ok: true }, reward: 0, terminated: false })
    const { result: end } = await ask('step', { action: { name: 'submit', input: {} } })
    expect(end).toMatchObject({ reward: 0, terminated: true, info: { verdict: { outcome: 'unresolved' } } })
    child.stdin!.end()
    expect((await ended).code).toBe(0)
    await expect.poll(home.leftovers).toEqual([])
  },
)

const startServer = async (maxSessions: number): Promise<{ child: ChildProcess; url: string }> => {
  const limits = ['--max-sessions', String(maxSessions)]
  const args = ['gym', 'serve', ...SYSTEM, '--engine', 'sim', ...limits, '--listen', '127.0.0.1:0', '--json']
  const child = home.start(args)
  child.stderr!.resume()
  const [chunk] = await once(child.stdout!, 'data')
  return { child, url: JSON.parse(String(chunk)).url }
}

describe.skipIf(GYM_SESSIONS === undefined)('clients of the gym', { timeout: 3 * HOUR_MS }, () => {
  const sessions = Number(GYM_SESSIONS)
  let server: Awaited<ReturnType<typeof startServer>>
  beforeAll(async () => {
    // One session more, for clients that misbehave.
    server = await startServer(sessions + 1)
  })
  afterAll(async () => {
    const ended = waitForExit(server.child)
    server.child.kill('SIGTERM')
    await ended
  })

  const drive = async (name: 'openenv' | 'trl', script: string, ...args: string[]): Promise<void> => {
    const clients = await ensureGymClients(name, (line) => console.log(line))
    if ('missing' in clients) {
      console.log(clients.missing)
      console.log(`SKIPPED: ${name.toUpperCase()} COULD NOT BE INSTALLED FROM PYPI. NOTHING WAS PLAYED.`)
      // The tests run the quick form, also on machines without a network.
      expect(GYM_IS_QUICK, `NOT PROVEN: ${name} is missing`).toBe('yes')
      return
    }
    const command = [
      `PYTHONPATH=${CLIENT}`,
      'PYTHONDONTWRITEBYTECODE=1',
      clients.python,
      join(SCRIPTS, script),
      ...args,
    ]
    const { ok, output } = await runProgram('env', ...command)
    console.log(output.slice(-5000))
    expect(ok).toBe(true)
  }

  it('play episodes in parallel with the client of openenv-core, beside clients that misbehave', () =>
    drive('openenv', 'drive.py', server.url, String(sessions)))

  it.skipIf(GYM_IS_QUICK === 'yes')('train a model with GRPO of TRL', () =>
    drive('trl', 'train.py', server.url, GYM_STEPS!, GYM_GROUP!),
  )
})
