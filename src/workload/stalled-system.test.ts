/** A system that does not answer for a while: nothing that waited is forgotten, in either loop, nor at the end. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { preciseNow } from '../kit/index.ts'
import type { JourneyRecord, LoadProfile, OpenEntryPoint } from '../spec/index.ts'
import { parseJourneys } from './parse-journeys.ts'
import { startWorkload } from './start-workload.ts'

const WORKLOAD = parseJourneys('journeys: [{name: look, steps: [{request: GET /, timeoutMs: 60000}]}]', 'j')
/** Clocks of two processes differ by a little. */
const TOLERANCE_MS = 5
const CALM_MS = 200

interface StallingSystem {
  readonly entryPoints: readonly OpenEntryPoint[]
  /** When it answered nothing. */
  readonly stall: { from: number; to: number }
  readonly held: readonly ServerResponse[]
  close(): void
}

/** Answers at once, but for a time that begins a while after the first request. */
const openStallingSystem = async (stallMs: number): Promise<StallingSystem> => {
  const stall = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  const held: ServerResponse[] = []
  const run = async (): Promise<void> => {
    await pause(CALM_MS)
    stall.from = preciseNow()
    await pause(stallMs)
    stall.to = preciseNow()
    for (const response of held) response.end('late')
  }
  const server = createServer((_, response) => {
    if (preciseNow() >= stall.from && stall.to === Number.POSITIVE_INFINITY) held.push(response)
    else response.end('fine')
  })
  server.once('request', run)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    entryPoints: [{ name: 'door', url: `http://127.0.0.1:${port}/` }],
    stall,
    held,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

let system: StallingSystem
afterEach(() => system.close())

const start = async (load: LoadProfile, durationMs: number) => {
  const walks: JourneyRecord[] = []
  const { entryPoints } = system
  const running = await startWorkload({
    workload: WORKLOAD,
    load,
    entryPoints,
    seed: 's',
    durationMs,
    onRecords: ({ journeys }) => void walks.push(...journeys),
  })
  return { walks, running }
}

const endOf = ({ intended, latencyMs }: JourneyRecord): number => intended + latencyMs

/** Those that were meant to begin while it stalled end no sooner than it does. */
const expectHeld = (walks: readonly JourneyRecord[]): void => {
  const { from, to } = system.stall
  for (const walk of walks)
    if (walk.intended >= from + TOLERANCE_MS) expect(endOf(walk)).toBeGreaterThan(to - TOLERANCE_MS)
}

describe('a system that stalls', () => {
  it.each([2, 5000])('is felt by every arrival of an open loop, with %s connections', async (connections) => {
    system = await openStallingSystem(300)
    const arrivals = { kind: 'constant', rate: 100 } as const
    const { walks, running } = await start({ loop: 'open', arrivals, connections }, 700)
    expect(await running.ended).toMatchObject({ arrivals: 70, onTheWay: 0 })
    const { from, to } = system.stall
    const within = walks.filter(({ intended }) => intended >= from && intended < to)
    expect(Math.abs(within.length - (to - from) / 10)).toBeLessThanOrEqual(1)
    expectHeld(within)
  })

  it('is felt by every user of a closed loop, from when he wanted to go on', async () => {
    system = await openStallingSystem(300)
    const { walks, running } = await start({ loop: 'closed', users: 5, thinkMs: { least: 5, most: 9 } }, 700)
    await running.ended
    const { from, to } = system.stall
    const within = walks.filter(({ intended }) => intended >= from && intended < to)
    expectHeld(within)
    expect(system.held.length).toBeGreaterThan(0)
    const felt = walks.filter((walk) => walk.intended < to && endOf(walk) > to - TOLERANCE_MS)
    expect(felt.length).toBeGreaterThanOrEqual(system.held.length)
  })

  it('leaves walks unended when the load is stopped, which it tells, beside all that ended', async () => {
    system = await openStallingSystem(60_000)
    const { walks, running } = await start(
      { loop: 'closed', users: 3, thinkMs: { least: 5, most: 9 } },
      60_000,
    )
    await expect.poll(() => system.held.length).toBe(3)
    const { arrivals, onTheWay } = await running.stop(0)
    expect(onTheWay).toBe(3)
    expect(walks).toHaveLength(arrivals - 3)
  })
})
