/** Finds the reason why an episode is void: it cannot be judged, and the agent is not to blame. */
import type { Blame, Judgement } from '#spec'
import type { CauseFinding } from './cause/judge-cause.ts'
import { isOverdue } from './view/action-end.ts'
import type { EpisodeFacts } from './view/episode-view.ts'

export interface VoidReason {
  readonly blame: Blame
  readonly reason: string
  /** The code of the error that made the episode void. */
  readonly code: string
}

/** Names the first missing piece of evidence that every verdict needs; completes "the record lacks ...". */
const findMissingEvidence = (view: EpisodeFacts): string | undefined => {
  if (!view.isBaselineTaken || view.baseline.size === 0) return 'the baseline of the journeys'
  if (!view.areObjectsListed) return 'the objects before the fault'
  return view.solverStartedAt === undefined ? 'the start of the solver' : undefined
}

export const findVoidReason = (view: EpisodeFacts): VoidReason | undefined => {
  const planned = view.problem?.faults.length ?? 0
  if (view.failure !== undefined) {
    const { blame, code, message } = view.failure
    return { blame, code, reason: message }
  }
  const { userImpact } = view
  if (userImpact !== undefined && userImpact.affected !== planned > 0)
    return {
      blame: 'environment',
      code: 'no-user-impact',
      reason: `users were ${userImpact.affected ? 'affected without a fault' : 'not affected by the fault'}: ${userImpact.evidence}`,
    }
  if (view.solverEnded === undefined) return undefined
  const missing = findMissingEvidence(view)
  if (missing !== undefined)
    return { blame: 'harness', code: 'defect', reason: `the record lacks ${missing}` }
  if (view.injections.size < planned)
    return {
      blame: 'harness',
      code: 'defect',
      reason: `only ${view.injections.size} of ${planned} faults were injected`,
    }
  return undefined
}

/** The harness is to blame if only a probe of the cause is missing; otherwise the agent is. */
export const findUnprobedCause = (
  view: EpisodeFacts,
  cause: CauseFinding | undefined,
  judgements: readonly Judgement[],
): VoidReason | undefined => {
  if (cause?.isUnprobed !== true || !isOverdue(view)) return undefined
  if (judgements.some(({ oracle, holds }) => !holds && oracle !== 'cause-gone')) return undefined
  return { blame: 'harness', code: 'not-ready', reason: cause.evidence }
}
