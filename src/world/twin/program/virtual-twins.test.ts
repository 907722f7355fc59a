/** Tests twins in virtual time: the same program without an operating system below it. */
import { describe, expect, it } from 'vitest'
import type { Behaviour, ProgramFile } from '#spec'
import { compileBehaviour } from '#world/twin/behaviour'
import { TRACE_DUMP_MS } from '#world/twin/instrumentation'
import type { OutgoingAnswer, TwinHost } from '#world/twin/ports'
import { runTwin } from './run-twin.ts'
import { startTwin } from './start-twin.ts'
import {
  createTestSlice,
  createVirtualTwins,
  LATENCY_MS,
  type VirtualTwins,
} from './testing/create-virtual-twins.ts'

const startService = (host: TwinHost, service: string, behaviour: Partial<Behaviour>) =>
  startTwin({ host, slice: createTestSlice(service, behaviour), env: {} })

const request = ({ servers }: VirtualTwins, pod: string, path = '/'): Promise<OutgoingAnswer> =>
  servers.get(`${pod}:80`)!({ method: 'GET', path, query: {}, headers: {}, body: null })

const BACK: Partial<Behaviour> = {
  endpoints: { 'GET /': { work: { cpuMs: 4, memoryKiB: 8 }, reply: '[now(), uuid(), random()]' } },
}
const FRONT: Partial<Behaviour> = {
  logFormat: 'spring',
  endpoints: {
    'GET /': {
      steps: [{ wait: '20' }, { call: 'back GET /', as: 'said' }, { log: '"said " + toJson(said)' }],
      reply: 'said',
    },
  },
  every: { poll: { everyMs: 100, steps: [{ call: 'back GET /' }] } },
}

const playSeconds = (seed: string) => {
  const twins = createVirtualTwins(seed)
  const { clock } = twins
  return twins.run(async () => {
    await startService(twins.createHost('back'), 'back', BACK)
    await startService(twins.createHost('front-0'), 'front', FRONT)
    const startedAt = clock.now()
    const answers: OutgoingAnswer[] = []
    for (let count = 0; count < 5; count += 1) answers.push(await request(twins, 'front-0'))
    return { answers, durationMs: clock.now() - startedAt, lines: twins.lines, spans: twins.spans }
  })
}

describe('twins in virtual time', () => {
  it('wait, work and call each other by the clock of their host', async () => {
    const { answers, durationMs, spans } = await playSeconds('one')
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const requestMs = 20 + 2 * LATENCY_MS + 4
    // The background work competes for the CPU.
    expect(durationMs).toBeGreaterThanOrEqual(5 * requestMs)
    expect(durationMs).toBeLessThan(5 * requestMs + 20)
    const served = spans.find(({ kind, service }) => kind === 'server' && service === 'front')!
    expect(served.durationMs).toBeGreaterThanOrEqual(requestMs)
    expect(new Date(served.start).getUTCFullYear()).toBe(2026)
  })

  it('behave identically for the same seed, and differently for another', async () => {
    const first = await playSeconds('one')
    expect(await playSeconds('one')).toEqual(first)
    const other = await playSeconds('two')
    expect(other.durationMs).toBe(first.durationMs)
    expect(other.answers).not.toEqual(first.answers)
    expect(first.lines).toHaveLength(5)
    expect(first.lines[0]).toMatch(/^front-0 2026-01-01 00:00:00\.\d{3} {2}INFO .*said \[/)
  })

  it('share compiled behaviour, but no state', async () => {
    const twins = createVirtualTwins()
    const slice = createTestSlice('counter', {
      endpoints: {
        'GET /': {
          limit: 2,
          steps: [
            { query: 'memory', memory: ['"get"', '"a"'], as: 'before' },
            { query: 'memory', memory: ['"set"', '"a"', '1'] },
          ],
          reply: '[env.NAME, before]',
        },
      },
    })
    const compiled = compileBehaviour(slice)
    await twins.run(async () => {
      for (const name of ['a', 'b'])
        await startTwin({ host: twins.createHost(name), slice, compiled, env: { NAME: name } })
      expect((await request(twins, 'a')).body).toEqual(['a', null])
      expect((await request(twins, 'a')).body).toEqual(['a', 1])
      expect((await request(twins, 'a')).status).toBe(429)
      expect((await request(twins, 'b')).body).toEqual(['b', null])
    })
  })

  it('wait for the CPU time of a slow hash', async () => {
    const twins = createVirtualTwins()
    const host = twins.createHost('auth')
    await twins.run(async () => {
      await startService(host, 'auth', {
        endpoints: { 'GET /': { steps: [{ when: 'slowHash("p") == ""', fail: '"wrong"' }], reply: '1' } },
      })
      const startedAt = twins.clock.now()
      await Promise.all([request(twins, 'auth'), request(twins, 'auth')])
      expect(twins.clock.now() - startedAt).toBe(7)
      expect(host.cpu.usedMs()).toBe(7)
    })
  })

  it('use CPU time for each dump of the log level trace', async () => {
    const twins = createVirtualTwins()
    const created = twins.createHost('busy', { files: { '/logs': '' } })
    let dumps = ''
    const file: ProgramFile = {
      write: async (bytes) => {
        dumps += Buffer.from(bytes).toString()
        return bytes.length
      },
      truncate: async () => {},
      sync: async () => {},
      close: async () => {},
    }
    const host = { ...created, files: { ...created.files, open: async () => file } }
    const slice = createTestSlice('busy', { logLevel: 'env.LEVEL', endpoints: { 'GET /': { reply: '1' } } })
    await twins.run(async () => {
      await startTwin({ host, slice, env: { LEVEL: 'trace' }, requestLogFolder: '/logs' })
      await request(twins, 'busy')
      await request(twins, 'busy')
    })
    expect(host.cpu.usedMs()).toBe(2 * TRACE_DUMP_MS)
    expect(dumps.match(/TRACE codec 00000000:/g)).toHaveLength(2)
  })

  it('use most of a core in a hot loop, and stop', async () => {
    const twins = createVirtualTwins()
    const host = twins.createHost('hot')
    await twins.run(async () => {
      const twin = await startService(host, 'hot', {
        endpoints: { 'GET /': { reply: '1' } },
        defects: [{ kind: 'hot-loop' }],
      })
      await new Promise<void>((resolve) => void twins.clock.after(11_000, resolve))
      expect(host.cpu.usedMs() / 10_000).toBeCloseTo(120 / 130, 1)
      await twin.close(0)
      const used = host.cpu.usedMs()
      await new Promise<void>((resolve) => void twins.clock.after(1000, resolve))
      expect(host.cpu.usedMs() - used).toBeLessThanOrEqual(120)
    })
  })

  it('fill their heap in a leaking release', async () => {
    const limitBytes = 128 * 1024 * 1024
    const twins = createVirtualTwins()
    const host = twins.createHost('leaky', { limitBytes })
    await twins.run(async () => {
      await startService(host, 'leaky', { endpoints: {}, defects: [{ kind: 'leak' }] })
      await new Promise<void>((resolve) => void twins.clock.after(3900, resolve))
      expect(host.memory.usedBytes()).toBeLessThan(limitBytes)
      await new Promise<void>((resolve) => void twins.clock.after(600, resolve))
      expect(host.memory.usedBytes()).toBe(limitBytes)
      expect(host.cpu.usedMs()).toBeGreaterThan(500)
    })
  })

  it('leave the delay of a slow store to their host', async () => {
    const twins = createVirtualTwins()
    await twins.run(async () => {
      const start = (defects: Behaviour['defects'] = []) =>
        startService(twins.createHost('redis'), 'redis', { protocol: 'redis', defects })
      await start()
      await start([{ kind: 'slow' }])
      await start([{ kind: 'slow', ms: 50 }])
      expect(twins.stores.map(({ slowMs }) => slowMs)).toEqual([undefined, 200, 50])
    })
  })
})

describe('the program', () => {
  const runProgram = (behaviour: Partial<Behaviour>, terminateAfterMs: number, files = {}) => {
    const twins = createVirtualTwins()
    const { clock } = twins
    const startedAt = clock.now()
    const termination = new AbortController()
    clock.after(terminateAfterMs, () => termination.abort())
    return twins.run(async () => {
      const code = await runTwin({
        host: twins.createHost('shop-0', { files }),
        env: {},
        readSlice: () => createTestSlice('shop', behaviour),
        termination: termination.signal,
      })
      return { code, durationMs: clock.now() - startedAt, log: twins.lines.join('') }
    })
  }

  it('serves until it is asked to terminate', async () => {
    expect(await runProgram(BACK, 5000)).toEqual({ code: 0, durationMs: 5000, log: '' })
  })

  it('prints the crash output of its original, with the time of its host', async () => {
    const crash = await runProgram({ defects: [{ kind: 'crash' }], logFormat: 'spring' }, 5000)
    expect(crash).toMatchObject({ code: 1, durationMs: 400 })
    expect(crash.log).toMatch(/^shop-0 2026-01-01 00:00:00\.400 ERROR .*Application run failed\n/)
    const behaviour = { files: { main: { path: '/etc/main.json', format: 'json' as const } } }
    const missing = await runProgram(behaviour, 5000)
    expect(missing.log).toContain('open /etc/main.json: no such file or directory')
    const files = { '/etc/main.json': '{}' }
    expect(await runProgram(behaviour, 5000, files)).toMatchObject({ code: 0, log: '' })
  })

  it('retries its start steps, and can be terminated meanwhile', async () => {
    const behaviour = { start: [{ call: 'back GET /' }], startTimeoutMs: 2000 }
    expect(await runProgram(behaviour, 500)).toMatchObject({ code: 0, durationMs: 500 })
    const failed = await runProgram(behaviour, 60_000)
    expect(failed.code).toBe(1)
    expect(failed.durationMs).toBeGreaterThan(1000)
    expect(failed.durationMs).toBeLessThanOrEqual(2000)
    expect(failed.log).toContain('fatal: GET / of back failed: connect ECONNREFUSED')
  })
})
