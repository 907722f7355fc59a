/** Tests closed and open loops under a virtual clock: when journeys start, and how latency is measured. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import type { JourneyRecord, LoadProfile, RequestRecord, Workload } from '#spec'
import { NoAnswerError } from '../journeys/user-client.ts'
import type { UserRequest } from '../journeys/user-request.ts'
import { parseJourneys } from '../parsing/parse-journeys.ts'
import { createGenerator } from './create-generator.ts'

const WORKLOAD = parseJourneys(
  `
journeys:
  - {name: look, weight: 3, steps: [{name: page, request: 'GET /p/\${pick([1, 2, 3, 4])}'}]}
  - {name: buy, weight: 1, needs: [login], steps: [{name: order, request: 'POST /buy', json: '{"token": session.token, "id": uuid()}'}]}
  - {name: login, weight: 0, steps: [{name: login, request: POST /login, keepInSession: {token: body.token}}]}
`,
  'journeys.yaml',
)

interface RunOptions {
  load: LoadProfile
  seed?: string
  forMs: number
  durationMs?: number
  workload?: Workload
  answer?: (request: UserRequest, at: number) => { afterMs: number; status?: number; broken?: boolean }
}

const run = async ({ load, seed = 's', forMs, durationMs, workload = WORKLOAD, answer }: RunOptions) => {
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
          const settle = (): void =>
            broken
              ? reject(new NoAnswerError('connection', 'ECONNREFUSED'))
              : resolve({ status, headers: {}, text: '{"token": "t"}' })
          clock.after(afterMs, settle)
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

const constantLoad = (rate: number, overrides: object = {}): LoadProfile => ({
  loop: 'open',
  arrivals: { kind: 'constant', rate },
  ...overrides,
})

describe('an open loop', () => {
  it('gives no user a second journey while another user is free', async () => {
    const busyUntil = new Map<string, number>()
    let maxActivePerUser = 0
    await run({
      load: constantLoad(4, { users: 3, maxConcurrent: 3 }),
      forMs: 4000,
      workload: parseJourneys(
        `journeys: [{name: go, weight: 1, steps: [{name: go, request: 'GET /\${user.index}'}]}]`,
        'journeys.yaml',
      ),
      answer: ({ target }, at) => {
        const afterMs = target === '/0' ? 900 : 200
        maxActivePerUser = Math.max(maxActivePerUser, (busyUntil.get(target) ?? 0) > at ? 2 : 1)
        busyUntil.set(target, at + afterMs)
        return { afterMs }
      },
    })
    expect(maxActivePerUser).toBe(1)
    expect([...busyUntil.keys()].sort()).toEqual(['/0', '/1', '/2'])
  })

  it('starts journeys when they are due, even if the system is slow', async () => {
    const { requests, generator } = await run({
      load: constantLoad(100),
      forMs: 1000,
      answer: (request) => ({ afterMs: request.target === '/login' ? 0 : 400 }),
    })
    const health = generator.health()
    expect(health.arrivals).toBeGreaterThanOrEqual(100)
    expect(health.lagMs.max).toBeLessThanOrEqual(1)
    expect(health.cpu).toBeCloseTo(0.1, 1)
    const slow = requests.filter(({ step }) => step !== 'login')
    expect(slow.length).toBeGreaterThan(50)
    for (const { latencyMs } of slow) expect(Math.abs(latencyMs - 400)).toBeLessThanOrEqual(1)
  })

  it('draws the same journeys and data from the same seed, and different ones from another seed', async () => {
    const load: LoadProfile = { loop: 'open', arrivals: { kind: 'poisson', rate: 100 } }
    const [first, repeated, otherSeed] = await Promise.all([
      run({ load, durationMs: 500, forMs: 600 }),
      run({ load, durationMs: 500, forMs: 600, answer: (_, at) => ({ afterMs: 3 + (at % 7) }) }),
      run({ load, durationMs: 500, forMs: 600, seed: 'other' }),
    ])
    expect(repeated.sent.sort()).toEqual(first.sent.sort())
    expect(otherSeed.sent.sort()).not.toEqual(first.sent)
    const ids = first.requests.map(({ traceId }) => traceId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it('chooses journeys by weight, and logs each user in once, when a journey needs it', async () => {
    const { journeys } = await run({ load: constantLoad(500, { users: 10 }), forMs: 2000 })
    const countRuns = (name: string): number => journeys.filter(({ journey }) => journey === name).length
    expect(countRuns('login')).toBe(10)
    expect(countRuns('look') / (countRuns('buy') + countRuns('look'))).toBeCloseTo(0.75, 1)
  })

  it('drops and counts arrivals above the limit of concurrent runs', async () => {
    const { generator } = await run({
      load: constantLoad(100, { maxConcurrent: 10 }),
      forMs: 1000,
      answer: () => ({ afterMs: 60_000 }),
    })
    expect(generator.health().dropped).toBe(generator.health().arrivals - 10)
  })

  it('ends after its duration, when all active runs have ended', async () => {
    const { generator, advance, journeys } = await run({
      load: constantLoad(10),
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

  it('counts a run as failed if a needed journey fails, retries that journey, and logs in again after 401', async () => {
    const workload: Workload = {
      ...WORKLOAD,
      journeys: WORKLOAD.journeys.filter(({ name }) => name !== 'look'),
    }
    const { journeys, requests } = await run({
      workload,
      load: constantLoad(10, { users: 1 }),
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
  it('spreads the starts of users, who think between journeys', async () => {
    const { requests, generator } = await run({
      load: { loop: 'closed', users: 4, thinkMs: { min: 95, max: 95 }, startOverMs: 400 },
      forMs: 1000,
      workload: { ...WORKLOAD, journeys: WORKLOAD.journeys.slice(0, 1) },
    })
    expect(requests.slice(0, 2).map(({ intended }) => intended)).toEqual([0, 100])
    expect(requests.filter(({ intended }) => intended >= 400 && intended < 500)).toHaveLength(4)
    expect(generator.health().arrivals - requests.length).toBeLessThanOrEqual(4)
  })

  it('starts no more journeys after a stop', async () => {
    const { generator, advance, requests } = await run({
      load: { loop: 'closed', users: 2, thinkMs: { min: 10, max: 20 } },
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
  const slowLoad = constantLoad(1)

  it('starts requested runs immediately and in order, with the journeys that they need', async () => {
    const { generator, journeys, advance } = await run({
      load: slowLoad,
      forMs: 100,
      answer: () => ({ afterMs: 20 }),
    })
    const runsBefore = journeys.length
    const requested = generator.runJourney('buy', 4)
    await advance(5)
    expect(generator.probes()).toMatchObject({ requests: 1, remaining: { buy: 4 } })
    expect(generator.probes().pending).toHaveLength(1)
    await advance(100)
    await requested
    const names = journeys.slice(runsBefore).map(({ journey }) => journey)
    expect(names.filter((name) => name === 'buy')).toHaveLength(4)
    expect(names.filter((name) => name === 'login')).toHaveLength(1)
    expect(generator.probes()).toEqual({ requests: 1, remaining: {}, pending: [] })
  })

  it('runs as many journeys at once as requested, and queues later requests', async () => {
    const { generator, advance } = await run({ load: slowLoad, forMs: 100, answer: () => ({ afterMs: 20 }) })
    const countPending = (): number => generator.probes().pending.length
    void generator.runJourney('buy', 4, 3)
    const sequential = generator.runJourney('buy', 2)
    await advance(5)
    expect(countPending()).toBe(3)
    // Runs with a login take twice as long.
    await advance(65)
    expect(countPending()).toBe(1)
    expect(generator.probes().remaining).toEqual({ buy: 2 })
    await advance(200)
    await sequential
    expect(generator.probes().remaining).toEqual({})
  })

  it('respects the rate limit of a journey', async () => {
    const { generator, journeys, advance } = await run({
      load: slowLoad,
      forMs: 100,
      workload: parseJourneys(
        `journeys:
  - {name: look, weight: 1, steps: [{request: GET /p}]}
  - {name: buy, weight: 0, maxPerSecond: 5, steps: [{request: POST /buy}]}`,
        'journeys.yaml',
      ),
    })
    const countPurchases = (): number => journeys.filter(({ journey }) => journey === 'buy').length
    const runsBefore = countPurchases()
    void generator.runJourney('buy', 2)
    void generator.runJourney('buy', 2)
    await advance(100)
    expect(countPurchases() - runsBefore).toBe(1)
    await advance(400)
    expect(countPurchases() - runsBefore).toBe(3)
    await advance(200)
    expect(countPurchases() - runsBefore).toBe(4)
  })

  it('multiplies the arrivals, and returns to the rate of the load profile', async () => {
    const { generator, advance } = await run({ load: constantLoad(10), forMs: 1000 })
    const countArrivals = (): number => generator.health().arrivals
    const first = countArrivals()
    generator.setRate(5)
    await advance(1000)
    const second = countArrivals()
    generator.setRate(1)
    await advance(1000)
    expect([first, second - first, countArrivals() - second]).toEqual([
      expect.closeTo(10, -1),
      expect.closeTo(50, -1),
      expect.closeTo(10, -1),
    ])
  })

  it('drops the sessions of users when they are reset', async () => {
    const { generator, sent, advance } = await run({ load: slowLoad, forMs: 10 })
    const countLogins = (): number => sent.filter((request) => request.startsWith('POST /login')).length
    void generator.runJourney('buy', 1)
    await advance(30)
    void generator.runJourney('buy', 1)
    await advance(30)
    const loginsBefore = countLogins()
    generator.resetUsers()
    void generator.runJourney('buy', 1)
    await advance(30)
    expect(countLogins()).toBe(loginsBefore + 1)
  })
})
