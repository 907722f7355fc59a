/** From when on journey runs can show the effect of the faults, and what users notice of it. */
import type { ImpactKind } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { faultOf, toCase } from '../view/fault-of.ts'

export interface ImpactWindow {
  /** Runs that started earlier do not count; infinite while no run can. */
  readonly since: number
  readonly kind: ImpactKind
  /** Whether the window starts when the pods that the injection replaced are ready. */
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
    const since = rollingOut.size > 0 ? Number.POSITIVE_INFINITY : Math.max(injectedAt, rolledOutAt)
    return { since, kind, isAfterRollout: true }
  }
  const since = unsettled.size === 0 ? Math.max(injectedAt, settledAt) : injectedAt
  return { since, kind: 'either', isAfterRollout: false }
}
