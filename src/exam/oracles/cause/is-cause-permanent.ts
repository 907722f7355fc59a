/** Checks whether a remaining cause is permanent: nothing that the solver started can still remove it. */
import { isIntentChange } from '../objects/is-intent-change.ts'
import { actionEndedAt } from '../view/action-end.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { addedWork } from './added-work.ts'
import { arePodsPending } from './are-pods-pending.ts'
import type { CauseFinding } from './judge-cause.ts'

/** A remaining cause is decisive only after this time, so that there is also evidence about users. */
const MIN_EVIDENCE_MS = 1000
/** Work that services do at their start, such as filling a database, is complete this long after their pods are ready. */
const STARTUP_MS = 2000
/** A program may take this long to end after a signal from inside its pod; until then no object shows it. */
const TERMINATION_MS = 6000

/** The latest time at which effects of steps inside pods become visible; undefined without such steps. */
const podEffectsVisibleAt = ({ steps }: EpisodeFacts): number | undefined => {
  const last = steps.findLast(({ reach }) => reach === 'pods')
  return last === undefined ? undefined : last.at + TERMINATION_MS
}

export const isCausePermanent = (view: EpisodeFacts, cause: CauseFinding): boolean => {
  if (cause.holds || !cause.isCertain || view.at - actionEndedAt(view) < MIN_EVIDENCE_MS) return false
  const { unfinished, endedAt } = addedWork(view)
  if (unfinished.length > 0) return false
  if (cause.isIndependentOfPods) return true
  const effectsVisibleAt = cause.probedAt === undefined ? undefined : podEffectsVisibleAt(view)
  if (effectsVisibleAt === undefined && !view.changes.some(isIntentChange)) return true
  const { probedAt = Number.POSITIVE_INFINITY } = cause
  const visibleAt = Math.max(view.settledAt + STARTUP_MS, endedAt + STARTUP_MS, effectsVisibleAt ?? 0)
  const isRestarting = effectsVisibleAt !== undefined && !cause.isInOnePod && view.unsettled.size > 0
  return !isRestarting && !arePodsPending(view, cause.isInOnePod) && probedAt >= visibleAt
}
