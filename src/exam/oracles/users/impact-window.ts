/** Determines which journey runs can show the effect of the faults, and the kind of impact to expect. */
import type { Fault, ImpactKind } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { faultOf, toCase } from '../view/fault-of.ts'
import { toJourneyLimits } from './journey-limits.ts'

export interface ImpactWindow {
  /** Runs that started earlier do not count. Infinite while no run counts. */
  readonly since: number
  readonly kind: ImpactKind
  /**
   * Whether the window starts when the pods that the injection replaced are ready and their clients have reconnected, or when
   * the pods have been unready for too long.
   */
  readonly isAfterRollout: boolean
}

type ImpactOnceReady = ReturnType<NonNullable<Fault['impactOnceReady']>>

const impactsOnceReady = (view: EpisodeFacts): ReadonlySet<ImpactOnceReady> =>
  new Set(
    [...view.injections.values()].map(({ planned }) =>
      faultOf(view, planned.fault).impactOnceReady?.(toCase(view, planned)),
    ),
  )

/** Pods that start normally are ready within this time, on a busy machine, too. */
const MAX_START_MS = 12_000

/** Clients that lost their connections reconnect within this time. gRPC waits longer after each failure. */
const RECONNECT_MS = 5000

/**
 * The end of the last failed run within this time whose cause may be the rollout: it failed quickly, as for a lost connection, or it
 * started before the new pods were ready.
 */
const reconnectedAt = ({ runs, baseline }: EpisodeFacts, readyAt: number): number => {
  const failed = [...runs].flatMap(([journey, all]) => {
    const journeyBaseline = baseline.get(journey)
    const { noticeableMs } = journeyBaseline ? toJourneyLimits(journeyBaseline) : { noticeableMs: 0 }
    return all.filter(
      ({ failedAt, latencyMs, startedAt }) =>
        failedAt !== undefined && (latencyMs < noticeableMs || startedAt < readyAt),
    )
  })
  return Math.max(
    readyAt,
    ...failed.map(({ endedAt }) => endedAt).filter((at) => at > readyAt && at <= readyAt + RECONNECT_MS),
  )
}

/** The window of faults that replace pods; `isKnown`: all faults declare that the pods become ready. */
const afterRollout = (view: EpisodeFacts, kind: ImpactKind, isKnown: boolean): ImpactWindow => {
  const { injections, rollingOut, rolledOutAt = 0, at } = view
  const times = [...injections.values()].map(({ since }) => since)
  const unreadyAt = isKnown ? Number.POSITIVE_INFINITY : Math.max(...times) + MAX_START_MS
  if (rollingOut.size > 0)
    return { since: at < unreadyAt ? Number.POSITIVE_INFINITY : unreadyAt, kind, isAfterRollout: true }
  const readyAt = Math.max(...times, rolledOutAt)
  return { since: reconnectedAt(view, readyAt), kind, isAfterRollout: true }
}

/**
 * Excludes runs that started before the injection was complete or the new pods of the fault were ready: they
 * can fail because of the injection or the rollout alone. Does not wait for pods that stay unready.
 */
export const toImpactWindow = (view: EpisodeFacts): ImpactWindow => {
  const { injections, unsettled, settledAt, rollingOut, rolledOutAt } = view
  if (injections.size === 0) return { since: Number.NEGATIVE_INFINITY, kind: 'either', isAfterRollout: false }
  const impacts = impactsOnceReady(view)
  const isKnown = !impacts.has(undefined)
  const hasReplacedPods = rollingOut.size > 0 || rolledOutAt !== undefined
  if (!impacts.has('never-ready') && (isKnown || hasReplacedPods)) {
    const [only] = impacts as ReadonlySet<ImpactKind | undefined>
    return afterRollout(view, (impacts.size === 1 ? only : undefined) ?? 'either', isKnown)
  }
  const injectedAt = Math.min(...[...injections.values()].map(({ since }) => since))
  const since = unsettled.size === 0 ? Math.max(injectedAt, settledAt) : injectedAt
  return { since, kind: 'either', isAfterRollout: false }
}
