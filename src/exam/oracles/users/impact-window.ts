/** From when on journey runs can show the effect of the faults, and what users notice of it. */
import type { ImpactKind } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { faultOf, toCase } from '../view/fault-of.ts'
import { toJourneyLimits } from './journey-limits.ts'

export interface ImpactWindow {
  /** Runs that started earlier do not count; infinite while no run can. */
  readonly since: number
  readonly kind: ImpactKind
  /** Whether the window starts when the pods that the injection replaced are ready and their clients have reconnected. */
  readonly isAfterRollout: boolean
}

/** What users notice once the new pods are ready; undefined unless this is known of every fault. */
const impactOnceReady = (view: EpisodeFacts): ImpactKind | undefined => {
  const kinds = new Set(
    [...view.injections.values()].map(({ planned }) =>
      faultOf(view, planned.fault).impactOnceReady?.(toCase(view, planned)),
    ),
  )
  if (kinds.has(undefined)) return undefined
  return kinds.size === 1 ? [...kinds][0] : 'either'
}

/** Clients that lost their connections connect again within this time: gRPC waits longer after each failed attempt. */
const RECONNECT_MS = 5000

/** When the last run failed because its services had not reconnected: too quickly for a fault that makes requests slow. */
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
 * Runs that started before the injection was complete, or before the new pods of the fault were ready, may fail only because of the
 * injection or the start of the pods. Pods that may never become ready are not waited for.
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
