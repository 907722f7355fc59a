/** Tests the load on a system that stalls: waiting counts as latency, and unfinished runs are reported. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { preciseNow } from '#kit'
import type { JourneyRecord, LoadProfile, OpenEntryPoint } from '#spec'
import { parseJourneys } from '../parsing/parse-journeys.ts'
import { startWorkload } from './start-workload.ts'

const WORKLOAD = parseJourneys('journeys: [{name: look, steps: [{request: GET /, timeoutMs: 60000}]}]', 'j')
/** The clocks of two processes differ slightly. */
const TOLERANCE_MS = 5
const BEFORE_STALL_MS = 200

interface StallingSystem {
  readonly entryPoints: readonly OpenEntryPoint[]
  /** The time without responses, in milliseconds since the epoch. */
  readonly stall: { from: number; to: number }
  readonly pendingResponses: readonly ServerResponse[]
  close(): void
}

/** Answers immediately, except during a stall that starts `BEFORE_STALL_MS` after the first request. */
const openStallingSystem = async (stallMs: number): Promise<StallingSystem> => {
  const stall = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  const pendingResponses: ServerResponse[] = []
  const runStall = async (): Promise<void> => {
    await pause(BEFORE_STALL_MS)
    stall.from = preciseNow()
    await pause(stallMs)
    stall.to = preciseNow()
    for (const response of pendingResponses) response.end('late')
  }
  const server = createServer((_, response) => {
    if (preciseNow() >= stall.from && stall.to === Number.POSITIVE_INFINITY) pendingResponses.push(response)
    else response.end('fine')
  })
  server.once('request', runStall)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    entryPoints: [{ name: 'door', url: `http://127.0.0.1:${port}/` }],
    stall,
    pendingResponses,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

let system: StallingSystem
afterEach(() => system.close())

const start = async (load: LoadProfile, durationMs: number) => {
  const runs: JourneyRecord[] = []
  const { entryPoints } = system
  const running = await startWorkload({
    workload: WORKLOAD,
    load,
    entryPoints,
    seed: 's',
    durationMs,
    onRecords: ({ journeys }) => void runs.push(...journeys),
  })
  return { runs, running }
}

const endOf = ({ intended, latencyMs }: JourneyRecord): number => intended + latencyMs

/** Runs that were due during the stall must not end before it does. */
const expectDelayed = (runs: readonly JourneyRecord[]): void => {
  const { from, to } = system.stall
  for (const run of runs)
    if (run.intended >= from + TOLERANCE_MS) expect(endOf(run)).toBeGreaterThan(to - TOLERANCE_MS)
}

describe('a system that stalls', () => {
  it.each([2, 5000])('delays every arrival of an open loop, with %s connections', async (connections) => {
    system = await openStallingSystem(300)
    const arrivals = { kind: 'constant', rate: 100 } as const
    const { runs, running } = await start({ loop: 'open', arrivals, connections }, 700)
    expect(await running.ended).toMatchObject({ arrivals: 70, unfinished: 0 })
    const { from, to } = system.stall
    const dueInStall = runs.filter(({ intended }) => intended >= from && intended < to)
    expect(Math.abs(dueInStall.length - (to - from) / 10)).toBeLessThanOrEqual(1)
    expectDelayed(dueInStall)
  })

  it('delays every user of a closed loop, with latency measured from the due time', async () => {
    system = await openStallingSystem(300)
    const { runs, running } = await start({ loop: 'closed', users: 5, thinkMs: { min: 5, max: 9 } }, 700)
    await running.ended
    const { from, to } = system.stall
    const dueInStall = runs.filter(({ intended }) => intended >= from && intended < to)
    expectDelayed(dueInStall)
    expect(system.pendingResponses.length).toBeGreaterThan(0)
    const delayed = runs.filter((run) => run.intended < to && endOf(run) > to - TOLERANCE_MS)
    expect(delayed.length).toBeGreaterThanOrEqual(system.pendingResponses.length)
  })

  it('leaves unfinished runs, which the health report counts, when the load is stopped', async () => {
    system = await openStallingSystem(60_000)
    const { runs, running } = await start({ loop: 'closed', users: 3, thinkMs: { min: 5, max: 9 } }, 60_000)
    await expect.poll(() => system.pendingResponses.length).toBe(3)
    const { arrivals, unfinished } = await running.stop(0)
    expect(unfinished).toBe(3)
    expect(runs).toHaveLength(arrivals - 3)
  })
})
