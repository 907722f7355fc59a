/** Runs every journey until programs are warm and the baseline has enough runs. */
import { RemediumError } from '#spec'
import type { Equipment } from './equipment.ts'
import { watchMachine } from './watch-machine.ts'

/** The baseline runs of each journey. Large systems, which have many journeys, get fewer. */
const RUNS = 8
const RUNS_OF_LARGE_SYSTEM = 3
const LARGE_SYSTEM_JOURNEYS = 12
const TIMEOUT_MS = 60_000
const POLL_MS = 200
/** Runs on cold programs, which do not count for the baseline. */
const COLD_RUNS = 2
/** If other processes keep the machine busy, the baseline is measured again; the last measurement is kept. */
const MAX_MEASUREMENTS = 2
/** Oracles run a few journeys at once; running all at once would make the baseline slower than their runs. */
const PARALLEL_JOURNEYS = 2

const baselineRuns = ({ view }: Equipment): number =>
  view.journeys.length > LARGE_SYSTEM_JOURNEYS ? RUNS_OF_LARGE_SYSTEM : RUNS

interface RunTarget {
  readonly runs: number
  readonly parallelJourneys: number
  onPoll?(): void
}

/** Requests runs until `count` reaches the target for each journey. */
const runJourneys = async (
  { view, time, users, nextChange }: Equipment,
  count: (journey: string) => number,
  { runs, parallelJourneys, onPoll }: RunTarget,
): Promise<void> => {
  const deadline = time.precise() + TIMEOUT_MS
  for (;;) {
    const pendingJourneys = view.journeys.map(({ name }) => name).filter((name) => count(name) < runs)
    const [first] = pendingJourneys
    if (first === undefined) return
    if (time.precise() > deadline)
      throw new RemediumError(
        'not-ready',
        `The journey ${first} completed ${count(first)} of ${runs} runs within ${TIMEOUT_MS / 1000} s.`,
        { blame: 'harness' },
      )
    for (const name of pendingJourneys.slice(0, parallelJourneys)) users.runJourney(name, runs - count(name))
    await nextChange(POLL_MS)
    onPoll?.()
  }
}

export const warmUp = async (equipment: Equipment): Promise<void> => {
  const { journeys, time, view, cluster } = equipment
  journeys.collect()
  const countSuccesses = (name: string): number =>
    journeys.collected.filter(({ journey, ok }) => ok && journey === name).length
  await runJourneys(equipment, countSuccesses, { runs: COLD_RUNS, parallelJourneys: view.journeys.length })
  for (let measurement = 1; measurement <= MAX_MEASUREMENTS; measurement += 1) {
    journeys.healthy.clear()
    journeys.startHealthy(time.precise())
    const machine = watchMachine(cluster.cpuTimes)
    await runJourneys(equipment, journeys.healthy.count, {
      runs: baselineRuns(equipment),
      parallelJourneys: PARALLEL_JOURNEYS,
      onPoll: machine.sample,
    })
    if (machine.describeOthers() === undefined) break
  }
  cluster.telemetry?.renewAlerts()
}
