/** Waits until every journey runs well on a system that was reset. */
import { toJourneyLimits } from '#exam/oracles'
import { type JourneyRecord, RemediumError } from '#spec'
import type { Equipment } from './equipment.ts'
import { watchMachine } from './watch-machine.ts'

const TIMEOUT_MS = 30_000
const POLL_MS = 200
/** The good runs that a measured journey needs; other journeys need one. */
const MIN_MEASURED_RUNS = 2
/** Parallel runs of the other journeys. */
const PARALLEL_RUNS = 3

/** A run that is far slower than the baseline is not good, even if it succeeded. */
const createRunCheck = ({ journeys }: Equipment): ((run: JourneyRecord) => boolean) => {
  const limits = new Map(
    journeys.healthy.toBaseline().map((baseline) => [baseline.journey, toJourneyLimits(baseline).outlierMs]),
  )
  return ({ journey, ok, latencyMs }) => ok && latencyMs <= (limits.get(journey) ?? Number.POSITIVE_INFINITY)
}

/**
 * Checks all journeys, since a solver may have broken something far from the fault. The latencies of `measured` journeys
 * extend the baseline, unless other processes keep the machine busy.
 */
export const waitUntilHealthy = async (equipment: Equipment, measured: readonly string[]): Promise<void> => {
  const { view, time, users, journeys, nextChange } = equipment
  const deadline = time.precise() + TIMEOUT_MS
  const isGood = createRunCheck(equipment)
  const names = view.journeys.map(({ name }) => name)
  const others = names.filter((name) => !measured.includes(name))
  // Measured journeys run one at a time and come last, so that the others do not queue behind them.
  const needed = new Map(
    [...others, ...measured].map((name) => [name, measured.includes(name) ? MIN_MEASURED_RUNS : 1]),
  )
  const machine = watchMachine(equipment.cluster.cpuTimes)
  journeys.collect()
  const lastRunsOf = (name: string): JourneyRecord[] =>
    journeys.collected.filter(({ journey }) => journey === name).slice(-needed.get(name)!)
  for (;;) {
    const pendingJourneys = [...needed].filter(
      ([name, count]) => lastRunsOf(name).filter(isGood).length < count,
    )
    if (pendingJourneys.length === 0) {
      // Oracles will run journeys under the same conditions, so these runs belong to the baseline.
      if (machine.describeOthers() === undefined)
        for (const run of measured.flatMap(lastRunsOf)) journeys.healthy.add(run)
      return
    }
    if (time.precise() > deadline)
      throw new RemediumError(
        'not-ready',
        `${view.name} was reset, but the journey ${pendingJourneys[0]![0]} is not healthy after ${TIMEOUT_MS / 1000} s.`,
        { blame: 'harness' },
      )
    for (const [name, count] of pendingJourneys)
      users.runJourney(name, count, measured.includes(name) ? 1 : PARALLEL_RUNS)
    await nextChange(POLL_MS)
    machine.sample()
  }
}
