/** Checks whether a remaining cause stays: nothing that the solver started can remove it any more. */
import { isIntentChange } from '../objects/is-intent-change.ts'
import { actionEndedAt } from '../view/action-end.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { addedWork } from './added-work.ts'
import { arePodsPending } from './are-pods-pending.ts'
import type { CauseFinding } from './judge-cause.ts'

/** A remaining cause decides only after this time, so that the record also holds evidence about users. */
const MIN_EVIDENCE_MS = 1000
/** Work that services do at their start, such as filling a database, is complete this long after their pods are ready. */
const STARTUP_MS = 2000
/** A program that receives a signal from inside its pod may take this long; until then no object shows it. */
const TERMINATION_MS = 6000

/** When the effects of steps inside pods are visible at the latest; undefined if no step reached into pods. */
const podEffectsUntil = ({ steps }: EpisodeFacts): number | undefined => {
  const last = steps.findLast(({ reach }) => reach === 'pods')
  return last === undefined ? undefined : last.at + TERMINATION_MS
}

export const isCausePermanent = (view: EpisodeFacts, cause: CauseFinding): boolean => {
  if (cause.holds || !cause.isCertain || view.at - actionEndedAt(view) < MIN_EVIDENCE_MS) return false
  const { unfinished, endedAt } = addedWork(view)
  if (unfinished.length > 0) return false
  if (cause.isIndependentOfPods) return true
  const effectsUntil = cause.probedAt === undefined ? undefined : podEffectsUntil(view)
  if (effectsUntil === undefined && !view.changes.some(isIntentChange)) return true
  const { probedAt = Number.POSITIVE_INFINITY } = cause
  const visibleAt = Math.max(view.settledAt + STARTUP_MS, endedAt + STARTUP_MS, effectsUntil ?? 0)
  const isRestarting = effectsUntil !== undefined && !cause.isInOnePod && view.unsettled.size > 0
  return !isRestarting && !arePodsPending(view, cause.isInOnePod) && probedAt >= visibleAt
}
