/** Determines when the solver's part of an episode ended, and whether the time to recover has passed. */
import { periodOf } from '#spec'
import type { EpisodeFacts } from './episode-view.ts'

/** How long a system may take to serve its users again. */
const RECOVERY_TIMEOUT_MS = 30_000
/** Added if there is an autoscaler: it evaluates every 5 s and ignores pods that are younger than 15 s. */
const AUTOSCALER_EXTRA_MS = 20_000

/** When the solver and all transient faults had ended. */
export const actionEndedAt = (view: EpisodeFacts): number =>
  Math.max(
    view.solverEnded?.at ?? view.at,
    ...[...view.injections.values()].map(({ recoveredAt, since, planned: { shape } }) =>
      shape.kind === 'transient' ? (recoveredAt ?? since + shape.forMs) : 0,
    ),
  )

const hasAutoscaler = ({ objects }: EpisodeFacts): boolean =>
  [...objects.now.values()].some(({ kind }) => kind === 'HorizontalPodAutoscaler')

/** Whether the time to recover has passed. An episode that is still undecided then is unresolved. */
export const isOverdue = (view: EpisodeFacts): boolean => {
  const periods = [...view.injections.values()].map(({ planned }) => periodOf(planned.shape))
  const timeout = RECOVERY_TIMEOUT_MS + (hasAutoscaler(view) ? AUTOSCALER_EXTRA_MS : 0)
  return view.at > actionEndedAt(view) + timeout + Math.max(0, ...periods)
}
