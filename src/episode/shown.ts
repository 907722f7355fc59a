/** Waits until users feel the fault. */
import { feltByUsers } from '../oracles/index.ts'
import type { PlannedFault } from '../spec/index.ts'
import type { EventLog } from './event-log.ts'
import type { LabCore } from './lab-core.ts'

/** Then it is noted that they do not. */
const PATIENCE_MS = 20_000
/** How long users are watched where nothing is wrong: about what faults take to be felt. */
const CONTROL_MS = 2000
/** Of each journey at once. */
const WALKS = 4
/** Journeys that are walked beside the load, of those that suffer. */
const MOST_JOURNEYS = 4

/** The journeys that a fault on these services is likely to be felt in. */
const likelyJourneys = ({ view }: LabCore, plans: readonly PlannedFault[]): string[] => {
  const likely = new Set<string>()
  for (const { target } of plans) {
    const ways = Object.values(view.impactOf(target.service))
    const suffers = (journey: string): number => ways.filter((way) => way.includes(journey)).length
    // Those that suffer in most ways come first.
    for (const journey of ways.flat().sort((one, other) => suffers(other) - suffers(one))) likely.add(journey)
  }
  const walked = view.journeys.map(({ name }) => name)
  const known = [...likely].filter((name) => walked.includes(name))
  return (known.length === 0 ? walked : known).slice(0, MOST_JOURNEYS)
}

export const waitUntilFelt = async (
  core: LabCore,
  log: EventLog,
  plans: readonly PlannedFault[],
): Promise<boolean> => {
  const isControl = plans.length === 0
  const deadline = core.time.precise() + (isControl ? CONTROL_MS : PATIENCE_MS)
  const journeys = isControl ? [] : likelyJourneys(core, plans)
  for (;;) {
    const { shown, journeys: felt, evidence } = feltByUsers(log.view)
    const left = deadline - core.time.precise()
    if ((shown && !isControl) || left <= 0) {
      log.add({ type: 'fault-shown', shown, journeys: felt, evidence })
      return shown
    }
    for (const journey of journeys) core.users.walk(journey, WALKS)
    await core.news(Math.min(left, 250))
  }
}
