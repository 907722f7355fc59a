/** How well journeys begin at their times under an open-loop load, and how the system bears it. */
import { percentile } from '../../src/kit/index.ts'
import type { GeneratorHealth, JourneyRecord, OpenEntryPoint, Workload } from '../../src/spec/index.ts'
import { startWorkload } from '../../src/workload/index.ts'

export interface OpenLoopFigures {
  /** Journeys that were due. */
  readonly arrivals: number
  /** Those that began within five milliseconds of their time, 0 to 1; what was dropped did not. */
  readonly onTime: number
  readonly success: number
  /** Of the walks, from the time they should have begun. */
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly health: GeneratorHealth
}

export interface OpenLoopOptions {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  /** Journeys a second. */
  readonly rate?: number
  readonly durationMs?: number
  readonly seed?: string
}

const ON_TIME_MS = 5
/**
 * Fewer than a server of Simple-Micro lets wait. With more the kernel turns some away, whose data then comes seconds
 * late: the server waits for it, one request at a time, and a moment of a busy machine becomes a minute's standstill.
 */
const CONNECTIONS = 100

/** At an even rate: 500 a second for ten seconds where nothing else is said. */
export const measureOpenLoop = async (options: OpenLoopOptions): Promise<OpenLoopFigures> => {
  const { workload, entryPoints, rate = 500, durationMs = 10_000, seed = 'open loop' } = options
  const walks: JourneyRecord[] = []
  const running = await startWorkload({
    workload,
    entryPoints,
    load: { loop: 'open', arrivals: { kind: 'constant', rate }, connections: CONNECTIONS },
    seed,
    durationMs,
    onRecords: ({ journeys }) => void walks.push(...journeys),
  })
  const health = await running.ended
  const latencies = walks.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
  const punctual = walks.filter(({ intended, started }) => started - intended <= ON_TIME_MS).length
  return {
    arrivals: health.arrivals,
    onTime: punctual / health.arrivals,
    success: walks.filter(({ ok }) => ok).length / health.arrivals,
    p50Ms: percentile(latencies, 0.5) ?? Number.NaN,
    p95Ms: percentile(latencies, 0.95) ?? Number.NaN,
    p99Ms: percentile(latencies, 0.99) ?? Number.NaN,
    health,
  }
}
