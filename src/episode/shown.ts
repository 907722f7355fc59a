/** Waits until users feel the fault; with a control about as long, in the same way. */
import { feltByUsers } from '../oracles/index.ts'
import type { Problem } from '../spec/index.ts'
import { drawPretence } from './draw-pretence.ts'
import type { EventLog } from './event-log.ts'
import type { LabCore } from './lab-core.ts'
import { likelyJourneys, namedServices } from './likely-journeys.ts'

/** Then it is noted that they do not. */
const PATIENCE_MS = 20_000
/** Of each journey at once. */
const WALKS = 4

interface Wait {
  /** Walked beside the load. */
  readonly journeys: readonly string[]
  /** Between two orders of walks, at least. */
  readonly everyMs: number
  readonly mostMs: number
  /** Whether it ends as soon as users feel something. */
  readonly endsWhenFelt: boolean
}

const wait = async (core: LabCore, log: EventLog, about: Wait): Promise<boolean> => {
  const deadline = core.time.precise() + about.mostMs
  let nextOrder = 0
  for (;;) {
    const { shown, journeys, evidence } = feltByUsers(log.view)
    const now = core.time.precise()
    if ((shown && about.endsWhenFelt) || now >= deadline) {
      log.add({ type: 'fault-shown', shown, journeys, evidence })
      return shown
    }
    if (now >= nextOrder) {
      for (const journey of about.journeys) core.users.walk(journey, WALKS)
      nextOrder = now + about.everyMs
    }
    await core.news(Math.min(deadline - now, 250))
  }
}

export const waitUntilFelt = async (
  core: LabCore,
  log: EventLog,
  { faults, seed }: Pick<Problem, 'faults' | 'seed'>,
): Promise<boolean> => {
  if (faults.length > 0) {
    const services = faults.flatMap(({ target }) => namedServices(core.view, target))
    const journeys = likelyJourneys(core.view, services)
    return wait(core, log, { journeys, everyMs: 0, mostMs: PATIENCE_MS, endsWhenFelt: true })
  }
  const { quietMs, journeys, everyMs, walkedMs } = drawPretence(core.view, core.faults, seed)
  await core.time.sleep(quietMs)
  return wait(core, log, { journeys, everyMs, mostMs: walkedMs, endsWhenFelt: false })
}
