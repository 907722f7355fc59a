/** One user for each journey, who runs it while the system is healthy and again during a fault. */
import { type Clock, sleep } from '#kit'
import type { EngineCluster, Workload } from '#spec'
import { createJourneyRunner, type JourneyRunner } from '#world/workload'

/** A journey counts as affected only if all of these runs are. A run that exceeds the timeout always is. */
const RUNS = 3
const TIMEOUT_MS = 4000
/** A run is affected if it takes `MIN_FACTOR` times as long as usual and at least `MIN_EXTRA_MS` longer. */
const MIN_FACTOR = 3
const MIN_EXTRA_MS = 500
/** A restored service needs time until all clients have reconnected. */
const HEALTHY_WITHIN_MS = 60_000
const PAUSE_MS = 250
/** The usual latency is the median of the latest runs. */
const USUAL_RUNS = 9
/** The default rate in journey runs per second, and the time in seconds within which every journey starts at least once. */
const RATE = 4
const ROUND_S = 2

/** Returns a function whose promises resolve at most `rate` times a second, in the order of the calls. */
const createPacer = (clock: Clock, rate: number): (() => Promise<void>) => {
  let next = 0
  return async () => {
    const now = clock.now()
    const turn = Math.max(now, next)
    next = turn + 1000 / rate
    await sleep(clock, turn - now)
  }
}

/** The higher median, which the oracles also use; infinite without values, so that nothing counts as slow. */
const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.POSITIVE_INFINITY

export interface Fleet {
  /** Runs each journey until it succeeds; replaces users that fail. */
  runUntilHealthy(): Promise<void>
  /** Resolves to the affected journeys, in the order of the workload. */
  findAffected(): Promise<string[]>
  close(): void
}

export const createFleet = (
  workload: Workload,
  cluster: Pick<EngineCluster, 'entryPoints' | 'connectUser' | 'clock'>,
  clock: Clock,
): Fleet => {
  const names = workload.journeys.filter(({ weight }) => weight > 0).map(({ name }) => name)
  const { brisk } = workload
  const usualRate = brisk?.loop === 'open' && 'rate' in brisk.arrivals ? brisk.arrivals.rate : RATE
  const waitForTurn = createPacer(clock, Math.max(usualRate, names.length / ROUND_S))
  const runners = new Map<string, JourneyRunner>()
  const healthyLatencies = new Map<string, number[]>(names.map((name) => [name, []]))
  let runnerCount = 0

  const replaceRunner = (name: string): void => {
    runners.get(name)?.close()
    runnerCount += 1
    runners.set(
      name,
      createJourneyRunner({
        workload,
        entryPoints: cluster.entryPoints,
        connectUser: cluster.connectUser,
        clock: cluster.clock,
        seed: `survey ${runnerCount}`,
        user: runnerCount,
      }),
    )
  }
  /** Returns the latency in milliseconds; infinite if the run failed or exceeded the timeout. */
  const run = async (name: string): Promise<number> => {
    await waitForTurn()
    const running = runners.get(name)!.run(name)
    running.catch(() => {})
    const record = await Promise.race([running, sleep(clock, TIMEOUT_MS)])
    return record?.ok === true ? record.latencyMs : Number.POSITIVE_INFINITY
  }
  const runUntilSuccess = async (name: string): Promise<number> => {
    const deadline = clock.now() + HEALTHY_WITHIN_MS
    const latencies = healthyLatencies.get(name)!
    for (let isNew = latencies.length === 0; ; ) {
      const latencyMs = await run(name)
      if (latencyMs < Number.POSITIVE_INFINITY) {
        latencies.push(latencyMs)
        // The first run is slow because all caches are cold.
        if (!isNew) return latencyMs
        isNew = false
        continue
      }
      if (clock.now() > deadline) {
        const { step, status, detail } = runners.get(name)!.records.requests.at(-1) ?? {}
        throw new Error(`${name} fails without a fault, at ${step}: ${detail} (status ${status})`)
      }
      await sleep(clock, PAUSE_MS)
      replaceRunner(name)
    }
  }
  const isAffected = async (name: string): Promise<boolean> => {
    const usual = medianOf(healthyLatencies.get(name)!.slice(-USUAL_RUNS))
    const bound = Math.max(MIN_FACTOR * usual, usual + MIN_EXTRA_MS)
    for (let runs = 0; runs < RUNS; runs += 1) if ((await run(name)) <= bound) return false
    return true
  }
  for (const name of names) replaceRunner(name)
  return {
    async runUntilHealthy() {
      await Promise.all(names.map(runUntilSuccess))
    },
    async findAffected() {
      const areAffected = await Promise.all(names.map(isAffected))
      return names.filter((_, index) => areAffected[index])
    },
    close() {
      for (const runner of runners.values()) runner.close()
    },
  }
}
