/** Closed and open loops under a clock of their own: who begins what when, and from when latency counts. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../kit/index.ts'
import type { JourneyRecord, LoadProfile, RequestRecord, Workload } from '../spec/index.ts'
import { createGenerator } from './create-generator.ts'
import { parseJourneys } from './parse-journeys.ts'
import { NoAnswer, type UserRequest } from './user-client.ts'

const WORKLOAD = parseJourneys(
  `
journeys:
  - {name: look, weight: 3, steps: [{name: page, request: 'GET /p/\${pick([1, 2, 3, 4])}'}]}
  - {name: buy, weight: 1, needs: [login], steps: [{name: order, request: 'POST /buy', json: '{"token": session.token, "id": uuid()}'}]}
  - {name: login, weight: 0, steps: [{name: login, request: POST /login, keepInSession: {token: body.token}}]}
`,
  'journeys.yaml',
)

interface Run {
  load: LoadProfile
  seed?: string
  forMs: number
  durationMs?: number
  workload?: Workload
  answer?: (request: UserRequest, at: number) => { afterMs: number; status?: number; broken?: boolean }
}

const run = async ({ load, seed = 's', forMs, durationMs, workload = WORKLOAD, answer }: Run) => {
  const clock = createVirtualClock(0)
  const requests: RequestRecord[] = []
  const journeys: JourneyRecord[] = []
  const sent: string[] = []
  const generator = createGenerator({
    workload,
    load,
    seed,
    clock,
    durationMs,
    now: clock.now,
    cpuMs: () => clock.now() / 10,
    entryPoints: [{ name: 'door', url: 'http://127.0.0.1:1/x' }],
    onRequest: (record) => requests.push(record),
    onJourney: (record) => journeys.push(record),
    client: {
      send: (request) =>
        new Promise((resolve, reject) => {
          sent.push(`${request.method} ${request.target} ${request.body ?? ''}`)
          const { afterMs, status = 200, broken = false } = answer?.(request, clock.now()) ?? { afterMs: 5 }
          const end = (): void =>
            broken
              ? reject(new NoAnswer('connection', 'ECONNREFUSED'))
              : resolve({ status, headers: {}, text: '{"token": "t"}' })
          clock.after(afterMs, end)
        }),
    },
  })
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1) {
      clock.advance(1)
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    }
  }
  await advance(forMs)
  return { generator, requests, journeys, sent, advance }
}

const constant = (rate: number, more: object = {}): LoadProfile => ({
  loop: 'open',
  arrivals: { kind: 'constant', rate },
  ...more,
})

describe('an open loop', () => {
  it('lets nobody do two things at once while somebody else is free', async () => {
    const onWay = new Map<string, number>()
    let most = 0
    await run({
      load: constant(4, { users: 3, most: 3 }),
      forMs: 4000,
      workload: parseJourneys(
        `journeys: [{name: go, weight: 1, steps: [{name: go, request: 'GET /\${user.index}'}]}]`,
        'journeys.yaml',
      ),
      answer: ({ target }, at) => {
        const afterMs = target === '/0' ? 900 : 200
        most = Math.max(most, onWay.get(target) !== undefined && onWay.get(target)! > at ? 2 : 1)
        onWay.set(target, at + afterMs)
        return { afterMs }
      },
    })
    expect(most).toBe(1)
    expect([...onWay.keys()].sort()).toEqual(['/0', '/1', '/2'])
  })

  it('begins journeys when they are due, however slow the system is', async () => {
    const { requests, generator } = await run({
      load: constant(100),
      forMs: 1000,
      answer: (request) => ({ afterMs: request.target === '/login' ? 0 : 400 }),
    })
    const begun = generator.health()
    expect(begun.arrivals).toBeGreaterThanOrEqual(100)
    expect(begun.lagMs.most).toBeLessThanOrEqual(1)
    expect(begun.cpu).toBeCloseTo(0.1, 1)
    const slow = requests.filter(({ step }) => step !== 'login')
    expect(slow.length).toBeGreaterThan(50)
    for (const { latencyMs } of slow) expect(Math.abs(latencyMs - 400)).toBeLessThanOrEqual(1)
  })

  it('walks the same journeys with the same data from the same seed, and others from another', async () => {
    const load: LoadProfile = { loop: 'open', arrivals: { kind: 'poisson', rate: 100 } }
    const [one, again, other] = await Promise.all([
      run({ load, durationMs: 500, forMs: 600 }),
      run({ load, durationMs: 500, forMs: 600, answer: (_, at) => ({ afterMs: 3 + (at % 7) }) }),
      run({ load, durationMs: 500, forMs: 600, seed: 'other' }),
    ])
    expect(again.sent.sort()).toEqual(one.sent.sort())
    expect(other.sent.sort()).not.toEqual(one.sent)
    const ids = one.requests.map(({ traceId }) => traceId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it('walks by weight, and logs each session in once before what needs it', async () => {
    const { journeys } = await run({ load: constant(500, { users: 10 }), forMs: 2000 })
    const count = (name: string): number => journeys.filter(({ journey }) => journey === name).length
    expect(count('login')).toBe(10)
    expect(count('look') / (count('buy') + count('look'))).toBeCloseTo(0.75, 1)
  })

  it('drops what would be too many at the same time, and counts it', async () => {
    const { generator } = await run({
      load: constant(100, { most: 10 }),
      forMs: 1000,
      answer: () => ({ afterMs: 60_000 }),
    })
    expect(generator.health().dropped).toBe(generator.health().arrivals - 10)
  })

  it('ends after its time, when what is on its way has ended', async () => {
    const { generator, advance, journeys } = await run({
      load: constant(10),
      durationMs: 1000,
      forMs: 1005,
      answer: () => ({ afterMs: 300 }),
    })
    let hasEnded = false
    void generator.ended.then(() => {
      hasEnded = true
    })
    await advance(100)
    expect(hasEnded).toBe(false)
    await advance(600)
    expect(hasEnded).toBe(true)
    expect(generator.health().arrivals).toBe(10)
    expect(journeys.filter(({ journey }) => journey !== 'login')).toHaveLength(10)
  })

  it('counts a journey whose need fails as failed, and tries again; who is refused logs in anew', async () => {
    const workload: Workload = {
      ...WORKLOAD,
      journeys: WORKLOAD.journeys.filter(({ name }) => name !== 'look'),
    }
    const { journeys, requests } = await run({
      workload,
      load: constant(10, { users: 1 }),
      forMs: 1000,
      answer: (request, at) => {
        if (request.target === '/login') return { afterMs: 1, broken: at < 250 }
        return { afterMs: 1, status: at > 550 && at < 650 ? 401 : 200 }
      },
    })
    const buys = journeys.filter(({ journey }) => journey === 'buy')
    expect(buys.slice(0, 3).map(({ ok, failedAt }) => [ok, failedAt])).toEqual([
      [false, 'login'],
      [false, 'login'],
      [false, 'login'],
    ])
    expect(buys[3]).toMatchObject({ ok: true })
    expect(buys[6]).toMatchObject({ ok: false, failedAt: 'order' })
    const logins = requests.filter(({ step }) => step === 'login').map(({ outcome }) => outcome)
    expect(logins).toEqual(['connection', 'connection', 'connection', 'ok', 'ok'])
  })
})

describe('a closed loop', () => {
  it('has users who come one after another, and think between journeys', async () => {
    const { requests, generator } = await run({
      load: { loop: 'closed', users: 4, thinkMs: { least: 95, most: 95 }, startOverMs: 400 },
      forMs: 1000,
      workload: { ...WORKLOAD, journeys: WORKLOAD.journeys.slice(0, 1) },
    })
    expect(requests.slice(0, 2).map(({ intended }) => intended)).toEqual([0, 100])
    expect(requests.filter(({ intended }) => intended >= 400 && intended < 500)).toHaveLength(4)
    expect(generator.health().arrivals - requests.length).toBeLessThanOrEqual(4)
  })

  it('stops when told to', async () => {
    const { generator, advance, requests } = await run({
      load: { loop: 'closed', users: 2, thinkMs: { least: 10, most: 20 } },
      forMs: 200,
    })
    generator.stop()
    await advance(10)
    const { length } = requests
    await advance(200)
    expect(requests).toHaveLength(length)
    await generator.ended
  })
})

describe('a running generator', () => {
  const slow = constant(1)

  it('walks what it is asked for at once, one after another, with what it needs', async () => {
    const { generator, journeys, advance } = await run({
      load: slow,
      forMs: 100,
      answer: () => ({ afterMs: 20 }),
    })
    const before = journeys.length
    const walked = generator.walk('buy', 4)
    await advance(5)
    expect(generator.probes()).toMatchObject({ orders: 1, left: { buy: 4 } })
    expect(generator.probes().pending).toHaveLength(1)
    await advance(100)
    await walked
    const asked = journeys.slice(before).map(({ journey }) => journey)
    expect(asked.filter((name) => name === 'buy')).toHaveLength(4)
    expect(asked.filter((name) => name === 'login')).toHaveLength(1)
    expect(generator.probes()).toEqual({ orders: 1, left: {}, pending: [] })
  })

  it('walks a few at a time where it may, and then what goes alone', async () => {
    const { generator, advance } = await run({ load: slow, forMs: 100, answer: () => ({ afterMs: 20 }) })
    const pending = (): number => generator.probes().pending.length
    void generator.walk('buy', 4, 3)
    const alone = generator.walk('buy', 2)
    await advance(5)
    expect(pending()).toBe(3)
    // Those who log in first take twice as long.
    await advance(65)
    expect(pending()).toBe(1)
    expect(generator.probes().left).toEqual({ buy: 2 })
    await advance(200)
    await alone
    expect(generator.probes().left).toEqual({})
  })

  it('walks no more often than the system lets anybody walk', async () => {
    const { generator, journeys, advance } = await run({
      load: slow,
      forMs: 100,
      workload: parseJourneys(
        `journeys:
  - {name: look, weight: 1, steps: [{request: GET /p}]}
  - {name: buy, weight: 0, mostPerSecond: 5, steps: [{request: POST /buy}]}`,
        'journeys.yaml',
      ),
    })
    const bought = (): number => journeys.filter(({ journey }) => journey === 'buy').length
    const before = bought()
    void generator.walk('buy', 2)
    void generator.walk('buy', 2)
    await advance(100)
    expect(bought() - before).toBe(1)
    await advance(400)
    expect(bought() - before).toBe(3)
    await advance(200)
    expect(bought() - before).toBe(4)
  })

  it('lets more arrive, and again as many as before', async () => {
    const { generator, advance } = await run({ load: constant(10), forMs: 1000 })
    const arrived = (): number => generator.health().arrivals
    const first = arrived()
    generator.setRate(5)
    await advance(1000)
    const second = arrived()
    generator.setRate(1)
    await advance(1000)
    expect([first, second - first, arrived() - second]).toEqual([
      expect.closeTo(10, -1),
      expect.closeTo(50, -1),
      expect.closeTo(10, -1),
    ])
  })

  it('lets users forget what they carry', async () => {
    const { generator, sent, advance } = await run({ load: slow, forMs: 10 })
    const logins = (): number => sent.filter((request) => request.startsWith('POST /login')).length
    void generator.walk('buy', 1)
    await advance(30)
    void generator.walk('buy', 1)
    await advance(30)
    const known = logins()
    generator.renewUsers()
    void generator.walk('buy', 1)
    await advance(30)
    expect(logins()).toBe(known + 1)
  })
})
