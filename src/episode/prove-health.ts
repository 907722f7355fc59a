/** Waits until users are well on a system that was reset. */
import { toJourneyLimits } from '../oracles/index.ts'
import { type JourneyRecord, RemediumError } from '../spec/index.ts'
import type { LabCore } from './lab-core.ts'

const PATIENCE_MS = 30_000
/** Of journeys that tell most; of all others one walk will do. */
const WALKS = 2
/** Of the others, whose time nobody will want to know, so many at once. */
const AT_A_TIME = 3

/** What is far slower than it was is not well, either. */
const createTest = ({ healthy }: LabCore): ((walk: JourneyRecord) => boolean) => {
  const limits = new Map(healthy.toBaseline().map((one) => [one.journey, toJourneyLimits(one).farMs]))
  return ({ journey, ok, latencyMs }) => ok && latencyMs <= (limits.get(journey) ?? Number.POSITIVE_INFINITY)
}

/** Until the last walks of every journey were good: whoever broke something may have broken it far from the fault. */
export const proveHealth = async (core: LabCore, telling: readonly string[]): Promise<void> => {
  const deadline = core.time.precise() + PATIENCE_MS
  const isGood = createTest(core)
  // Those that are walked one at a time come last, or the others would wait for them one by one.
  const names = core.view.journeys.map(({ name }) => name)
  const others = names.filter((name) => !telling.includes(name))
  const needed = new Map([...others, ...telling].map((name) => [name, telling.includes(name) ? WALKS : 1]))
  core.walks = []
  const lastOf = (name: string): JourneyRecord[] =>
    core.walks.filter(({ journey }) => journey === name).slice(-needed.get(name)!)
  for (;;) {
    const open = [...needed].filter(([name, count]) => lastOf(name).filter(isGood).length < count)
    if (open.length === 0) {
      // They were walked as judges will let them be walked: what is usual then must be known.
      for (const walk of telling.flatMap(lastOf)) core.healthy.add(walk)
      return
    }
    if (core.time.precise() > deadline)
      throw new RemediumError(
        'not-ready',
        `${core.view.name} was reset, and ${open[0]![0]} is still not well after ${PATIENCE_MS / 1000} s.`,
        { blame: 'harness' },
      )
    for (const [name, count] of open) core.users.walk(name, count, telling.includes(name) ? 1 : AT_A_TIME)
    await core.news(200)
  }
}
