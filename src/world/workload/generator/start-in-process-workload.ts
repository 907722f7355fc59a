/** Starts a load generator in this process, for users of a simulated cluster: everything follows from the seed and the clock. */
import type { Clock, Timer } from '#kit'
import type { GeneratorHealth } from '#spec'
import { checkEntryPoints } from '../journeys/check-entry-points.ts'
import { type ConnectUser, createSimulatedUserClient } from '../journeys/simulated-user-client.ts'
import { readTrace } from './read-trace.ts'
import { runGenerator } from './run-generator.ts'
import { GRACE_MS, type RunningWorkload, type WorkloadOptions } from './start-workload.ts'

export interface InProcessWorkloadOptions extends WorkloadOptions {
  readonly clock: Clock
  /** Milliseconds since the epoch, with fractions. */
  now(): number
  readonly connectUser: ConnectUser
}

/**
 * Requested runs are reported together, this long after the first of them has ended. A refused request takes no virtual time, so
 * a caller that requests runs whenever others have ended would otherwise never let time pass.
 */
const REPORT_DELAY_MS = 10

export const startInProcessWorkload = (options: InProcessWorkloadOptions): RunningWorkload => {
  const { workload, entryPoints, clock, connectUser } = options
  checkEntryPoints(workload, entryPoints)
  const { load = workload.load, onRecords, onHealth } = options
  const connections = load.loop === 'open' ? load.connections : undefined
  const client = createSimulatedUserClient({ clock, entryPoints, connectUser, connections })
  const { promise: ended, resolve, reject } = Promise.withResolvers<GeneratorHealth>()
  const { generator, flush, end } = runGenerator(
    // The generator takes no time of a simulated cluster.
    { ...options, load, client, trace: readTrace(options), cpuMs: () => 0 },
    { onRecords, onHealth },
  )
  let report: Timer | undefined
  const finish = (settle: () => void): void => {
    report?.cancel()
    end()
    settle()
    client.close()
  }
  const finishWell = (): void => finish(() => resolve(generator.health()))
  ended.catch(() => {})
  generator.ended.then(finishWell, (error) => finish(() => reject(error)))

  const reportSoon = (): void => {
    report ??= clock.after(REPORT_DELAY_MS, () => {
      report = undefined
      flush()
    })
  }
  return {
    pid: process.pid,
    ended,
    runJourney(journey, times, maxActive = 1) {
      void generator.runJourney(journey, times, maxActive).then(reportSoon)
    },
    setRate: generator.setRate,
    resetUsers: generator.resetUsers,
    stop(graceMs = GRACE_MS) {
      generator.stop()
      const timer = clock.after(graceMs, finishWell)
      return ended.finally(() => timer.cancel())
    },
  }
}
