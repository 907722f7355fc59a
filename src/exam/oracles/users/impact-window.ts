/** Determines which journey runs can show the effect of the faults, and the kind of impact to expect. */
import type { ImpactKind } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { faultOf, toCase } from '../view/fault-of.ts'
import { toJourneyLimits } from './journey-limits.ts'

export interface ImpactWindow {
  /** Runs that started earlier do not count. Infinite while no run counts. */
  readonly since: number
  readonly kind: ImpactKind
  /** Whether the window starts when the pods that the injection replaced are ready and their clients have reconnected. */
  readonly isAfterRollout: boolean
}

/** The kind of impact once the new pods are ready; undefined unless every fault declares it. */
const impactOnceReady = (view: EpisodeFacts): ImpactKind | undefined => {
  const kinds = new Set(
    [...view.injections.values()].map(({ planned }) =>
      faultOf(view, planned.fault).impactOnceReady?.(toCase(view, planned)),
    ),
  )
  if (kinds.has(undefined)) return undefined
  return kinds.size === 1 ? [...kinds][0] : 'either'
}

/** Clients that lost their connections reconnect within this time. gRPC waits longer after each failure. */
const RECONNECT_MS = 5000

/** The end of the last quick failure: its cause is a lost connection, because slow services fail slowly. */
const reconnectedAt = ({ runs, baseline }: EpisodeFacts, readyAt: number): number => {
  const failed = [...runs].flatMap(([journey, all]) => {
    const journeyBaseline = baseline.get(journey)
    const { noticeableMs } = journeyBaseline ? toJourneyLimits(journeyBaseline) : { noticeableMs: 0 }
    return all.filter(({ failedAt, latencyMs }) => failedAt !== undefined && latencyMs < noticeableMs)
  })
  return Math.max(
    ...failed.map(({ endedAt }) => endedAt).filter((at) => at > readyAt && at <= readyAt + RECONNECT_MS),
  )
}

/**
 * Excludes runs that started before the injection was complete or the new pods of the fault were ready: they
 * can fail because of the injection or the rollout alone. Does not wait for pods that may never become ready.
 */
export const toImpactWindow = (view: EpisodeFacts): ImpactWindow => {
  const { injections, unsettled, settledAt, rollingOut, rolledOutAt = 0 } = view
  if (injections.size === 0) return { since: Number.NEGATIVE_INFINITY, kind: 'either', isAfterRollout: false }
  const injectedAt = Math.min(...[...injections.values()].map((injection) => injection.since))
  const kind = impactOnceReady(view)
  if (kind !== undefined) {
    if (rollingOut.size > 0) return { since: Number.POSITIVE_INFINITY, kind, isAfterRollout: true }
    const readyAt = Math.max(injectedAt, rolledOutAt)
    const since = kind === 'slowness' ? Math.max(readyAt, reconnectedAt(view, readyAt)) : readyAt
    return { since, kind, isAfterRollout: true }
  }
  const since = unsettled.size === 0 ? Math.max(injectedAt, settledAt) : injectedAt
  return { since, kind: 'either', isAfterRollout: false }
}
