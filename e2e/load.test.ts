/** Tests `remedium load` on a system of real containers, as a user runs it. Needs root. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const REMEDIUM = join(import.meta.dirname, '..', 'remedium')

let folder: string

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, REMEDIUM_STATE: join(folder, 'state') })

const remedium = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(REMEDIUM, args, { cwd: folder, env: environment(), encoding: 'utf8', timeout: 60_000 })

const startLoad = (...args: string[]) =>
  spawn(REMEDIUM, ['load', 'one', '--users', '3', '--for', '1h', ...args], {
    cwd: folder,
    env: environment(),
    // A separate process group, which Ctrl-C interrupts as a whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-load-'))
  expect(remedium('cluster', 'up', '--system', 'simple-micro', '--name', 'one')).toMatchObject({ status: 0 })
})
afterAll(() => {
  remedium('cluster', 'down', 'one')
  rmSync(folder, { recursive: true, force: true })
})

describe('remedium load', () => {
  it('runs the load, and reports success and latency', () => {
    const run = remedium('load', 'one', '--rate', '50', '--for', '1s', '--records', 'records', '--json')
    const { journeys, generator, system } = JSON.parse(run.stdout)
    expect({ status: run.status, system }).toEqual({ status: 0, system: 'simple-micro' })
    expect(generator).toMatchObject({ arrivals: 50, dropped: 0 })
    expect(journeys).toEqual([expect.objectContaining({ journey: 'hello', count: 50, success: 1 })])
    const records = readFileSync(join(folder, 'records'), 'utf8').trim().split('\n')
    expect(records).toHaveLength(100)
    expect(JSON.parse(records[0]!).request).toMatchObject({
      step: 'hello',
      outcome: 'ok',
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  })

  it('ends normally when interrupted', async () => {
    const child = startLoad()
    const table = text(child.stdout)
    const ended = once(child, 'close')
    const [line] = await once(createInterface({ input: child.stderr }), 'line')
    expect(line).toMatch(/^1 s: \d+ journey runs, 0 failed/)
    process.kill(-child.pid!, 'SIGINT')
    expect(await ended).toEqual([130, null])
    expect(await table).toMatch(
      /^JOURNEY .*\nhello +\d+ +100\.00 % .* none\n\nThe generator started .*\nInterrupted after \d+ s\.\n$/,
    )
  })

  it.each([
    [['one', '--journey', 'buy'], 'There is no journey "buy". The journeys are: hello.'],
    [['one', '--users', '2', '--rate', '3'], 'Only one of --load, --users and --rate can be given.'],
    [['two'], 'There is no cluster "two". The running clusters are: one.'],
    [[], 'Name one cluster. See '],
  ])('rejects %j', (args, message) => {
    const { status, stderr } = remedium('load', ...args)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) })
  })

  // Must be the last test: it removes the cluster.
  it('ends with an error when the cluster ends, and reports the results so far', async () => {
    const child = startLoad('--json')
    const output = text(child.stdout)
    const ended = once(child, 'close')
    await once(createInterface({ input: child.stderr }), 'line')
    expect(remedium('cluster', 'down', 'one')).toMatchObject({ status: 0 })
    expect(await ended).toEqual([1, null])
    expect(JSON.parse(await output)).toMatchObject({
      interrupted: false,
      journeys: [{ journey: 'hello' }],
      error: { code: 'cluster-lost', message: 'The cluster "one" ended during the load.' },
    })
  })
})
