/** Tests users in this process on a simulated shop, under a virtual clock. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock, runVirtually, sleep } from '#kit'
import type { LoadProfile } from '#spec'
import { runAllJourneys } from '../journeys/run-all-journeys.ts'
import { parseJourneys } from '../parsing/parse-journeys.ts'
import { createSimulatedShop } from '../testing/simulated-shop.ts'
import type { RecordBatch } from './generator-messages.ts'
import { startInProcessWorkload } from './start-in-process-workload.ts'

const WORKLOAD = parseJourneys(
  `
journeys:
  - name: browse
    needs: [login]
    steps:
      - {name: ok, request: GET /ok, expect: 'body == "fine"'}
      - {name: echo, request: POST /echo, json: '{"id": uuid()}'}
  - {name: login, weight: 0, steps: [{name: login, request: POST /login, keepInSession: {name: body}}]}
  - {name: slow, weight: 0, steps: [{name: page, request: GET /silent, timeoutMs: 400}]}
`,
  'journeys.yaml',
)
const OPEN: LoadProfile = { loop: 'open', arrivals: { kind: 'poisson', rate: 20 }, users: 5 }

const start = (options: { load?: LoadProfile; durationMs?: number; seed?: string } = {}) => {
  const clock = createVirtualClock()
  const shop = createSimulatedShop(clock)
  const begin = clock.now()
  const batches: (RecordBatch & { readonly at: number })[] = []
  const running = startInProcessWorkload({
    ...{ workload: WORKLOAD, load: OPEN, seed: 's', clock, now: clock.now },
    entryPoints: shop.entryPoints,
    connectUser: shop.connectUser,
    onRecords: (batch) => void batches.push({ ...batch, at: clock.now() - begin }),
    ...options,
  })
  const run = <T>(work: () => Promise<T>): Promise<T> => runVirtually(clock, work)
  const journeys = () => batches.flatMap((batch) => batch.journeys)
  return { clock, shop, running, batches, journeys, run }
}

describe('users in this process', () => {
  it('run the load for its duration, and report records four times a second', async () => {
    const { running, batches, journeys, shop, run } = start({ durationMs: 3000 })
    const health = await run(() => running.ended)
    const browsed = journeys().filter(({ journey }) => journey === 'browse')
    expect(browsed.length).toBeGreaterThan(40)
    expect(health).toMatchObject({ arrivals: browsed.length, dropped: 0, unfinished: 0, cpu: 0 })
    expect(browsed.every(({ ok }) => ok)).toBe(true)
    expect(batches.slice(0, -1).every(({ at }) => at % 250 === 0)).toBe(true)
    const requests = batches.flatMap((batch) => batch.requests)
    expect(requests).toHaveLength(shop.requests.filter(({ line }) => !line.includes('home')).length)
  })

  it('do the same for the same seed, to the byte', async () => {
    const play = async (seed: string): Promise<string> => {
      const { running, batches, shop, run } = start({ durationMs: 2000, seed })
      await run(() => running.ended)
      return JSON.stringify([batches, shop.requests])
    }
    const first = await play('s')
    expect(await play('s')).toBe(first)
    expect(await play('t')).not.toBe(first)
  })

  it('run journeys on request, and report them soon after they have ended', async () => {
    const { clock, running, batches, run } = start({
      load: { loop: 'closed', users: 1, thinkMs: { min: 1e6, max: 1e6 }, startOverMs: 0 },
    })
    await run(() => sleep(clock, 510))
    batches.length = 0
    running.runJourney('login', 2, 2)
    await run(() => sleep(clock, 60))
    expect(batches.map(({ journeys, probes }) => [journeys.length, probes?.requests])).toEqual([[2, 1]])
  })

  it('let time pass even if every request is refused and runs are requested again at once', async () => {
    const clock = createVirtualClock(0)
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    let rounds = 0
    const running = startInProcessWorkload({
      ...{ workload: WORKLOAD, load: { ...OPEN, arrivals: { kind: 'constant', rate: 0.001 } }, seed: 's' },
      ...{ clock, now: clock.now, entryPoints: [{ name: 'shop', url: 'http://shop.sim' }] },
      connectUser: async () => {
        throw refused
      },
      onRecords() {
        rounds += 1
        running.runJourney('browse', 4)
      },
    })
    running.runJourney('browse', 4)
    await runVirtually(clock, () => sleep(clock, 1000))
    expect(rounds).toBeGreaterThan(50)
    expect(rounds).toBeLessThan(110)
  })

  it('end when they are stopped, and leave no timer and no connection behind', async () => {
    const { clock, running, journeys, shop, run } = start()
    await run(() => sleep(clock, 1000))
    running.runJourney('slow', 1)
    await run(() => sleep(clock, 100))
    const health = await run(() => running.stop(50))
    expect(health.unfinished).toBe(1)
    const count = journeys().length
    while (clock.runNext());
    expect(journeys()).toHaveLength(count)
    const { length } = shop.requests
    await run(() => sleep(clock, 10_000))
    expect(shop.requests).toHaveLength(length)
  })

  it('wait for active journeys when they are stopped', async () => {
    const { clock, running, journeys, run } = start()
    running.runJourney('slow', 1)
    await run(() => sleep(clock, 100))
    await run(() => running.stop())
    expect(journeys().find(({ journey }) => journey === 'slow')).toMatchObject({ ok: false })
    expect(clock.now() % 60_000).toBe(400)
  })
})

it('runs every journey once on a simulated shop', async () => {
  const clock = createVirtualClock()
  const shop = createSimulatedShop(clock)
  const options = { workload: WORKLOAD, seed: 's', clock, ...shop }
  const { journeys } = await runVirtually(clock, () => runAllJourneys(options))
  expect(journeys.map(({ journey, ok, latencyMs }) => [journey, ok, latencyMs])).toEqual([
    ['login', true, 11],
    ['browse', true, 10],
    ['slow', false, 400],
  ])
})
