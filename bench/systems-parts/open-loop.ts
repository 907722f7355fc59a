/** Measures whether journeys start on time under an open-loop load, how many of them succeed, and their latency. */
import { percentile } from '#kit'
import type { GeneratorHealth, JourneyRecord, OpenEntryPoint, Workload } from '#spec'
import { startWorkload } from '#world/workload'

export interface OpenLoopFigures {
  /** Journeys that were due. */
  readonly arrivals: number
  /** The share that started within five milliseconds of their due time, 0 to 1; dropped journeys count as late. */
  readonly onTime: number
  readonly success: number
  /** Latency of the journey runs, from their due time. */
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly health: GeneratorHealth
}

export interface OpenLoopOptions {
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
  /** Journeys per second. */
  readonly rate?: number
  readonly durationMs?: number
  readonly seed?: string
}

const ON_TIME_MS = 5
/**
 * Fewer than fit into the accept queue of a server of Simple-Micro. With more, the kernel rejects some connections,
 * whose data then arrives seconds late, and the server, which serves one request at a time, waits for it.
 */
const CONNECTIONS = 100

/** Starts journeys at a constant rate, by default 500 per second for ten seconds. */
export const measureOpenLoop = async (options: OpenLoopOptions): Promise<OpenLoopFigures> => {
  const { workload, entryPoints, rate = 500, durationMs = 10_000, seed = 'open loop' } = options
  const runs: JourneyRecord[] = []
  const running = await startWorkload({
    workload,
    entryPoints,
    load: { loop: 'open', arrivals: { kind: 'constant', rate }, connections: CONNECTIONS },
    seed,
    durationMs,
    onRecords: ({ journeys }) => void runs.push(...journeys),
  })
  const health = await running.ended
  const latencies = runs.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
  const startedOnTime = runs.filter(({ intended, started }) => started - intended <= ON_TIME_MS).length
  return {
    arrivals: health.arrivals,
    onTime: startedOnTime / health.arrivals,
    success: runs.filter(({ ok }) => ok).length / health.arrivals,
    p50Ms: percentile(latencies, 0.5) ?? Number.NaN,
    p95Ms: percentile(latencies, 0.95) ?? Number.NaN,
    p99Ms: percentile(latencies, 0.99) ?? Number.NaN,
    health,
  }
}
