/** Finds damage in calls: services outside the fault that fail more calls than before the fault. */
import type { Damage } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

/** Damage requires both this many errors and this increase of the share of failed calls. */
const MIN_ERRORS = 5
const MIN_INCREASE = 0.1
/** With fewer calls before the fault, the usual share of errors counts as 0. */
const MIN_BASELINE_CALLS = 10

/**
 * Calls older than this do not count if there are enough newer ones: a correct repair releases all waiting users at
 * once, and they overload healthy services for a moment.
 */
const RECENT_MS = 10_000
const MIN_RECENT_CALLS = 20

interface Tally {
  count: number
  errors: number
}

/** Sums up the calls of each service since `recentSince`, and older calls only if there are too few. */
const tallyCalls = (
  calls: EpisodeFacts['calls'],
  recentSince = Number.NEGATIVE_INFINITY,
): Map<string, Tally> => {
  const byService = new Map<string, Tally>()
  for (const { at, edges } of calls.toReversed()) {
    const isCounted = (service: string): boolean =>
      at > recentSince || (byService.get(service)?.count ?? 0) < MIN_RECENT_CALLS
    const skipped = new Set(edges.map(({ to }) => to).filter((service) => !isCounted(service)))
    for (const { to, count, errors } of edges) {
      if (skipped.has(to)) continue
      const sum = byService.get(to) ?? { count: 0, errors: 0 }
      byService.set(to, { count: sum.count + count, errors: sum.errors + errors })
    }
  }
  return byService
}

const injectedAt = (view: EpisodeFacts): number =>
  Math.min(
    ...[...view.injections.values()].map((injection) => injection.since),
    view.solverStartedAt ?? view.at,
  )

interface FailingService {
  readonly service: string
  readonly now: Tally
  readonly before: Tally
}

/** Services that fail a larger share of these calls than before the fault. */
const failingServices = (view: EpisodeFacts, calls: ReadonlyMap<string, Tally>): FailingService[] => {
  const usualCalls = tallyCalls(view.calls.filter(({ at }) => at <= injectedAt(view)))
  return [...calls].flatMap(([service, now]) => {
    const before = usualCalls.get(service) ?? { count: 0, errors: 0 }
    const share = before.count < MIN_BASELINE_CALLS ? 0 : before.errors / before.count
    return now.errors === 0 || now.errors / now.count < share + MIN_INCREASE ? [] : [{ service, now, before }]
  })
}

/** Services that already failed more calls than before the fault when the solver started. */
export const servicesFailedByFault = (view: EpisodeFacts): string[] => {
  const { solverStartedAt = view.at } = view
  const calls = view.calls.filter(({ at }) => at > injectedAt(view) && at <= solverStartedAt)
  return failingServices(view, tallyCalls(calls)).map(({ service }) => service)
}

export interface CallDamageOptions {
  /** Only observations that started at this time or later count. */
  readonly since: number
  /** Services of the fault, and those that it affects. */
  readonly excluded: ReadonlySet<string>
}

export const callDamage = (view: EpisodeFacts, { since, excluded }: CallDamageOptions): Damage[] => {
  const calls = tallyCalls(
    view.calls.filter(({ from }) => from >= since),
    view.at - RECENT_MS,
  )
  return failingServices(view, calls)
    .filter(({ service, now }) => !excluded.has(service) && now.errors >= MIN_ERRORS)
    .map(({ service, now, before }) => ({
      object: `Service/${service}`,
      what: `fails ${now.errors} of ${now.count} calls (${before.errors} of ${before.count} before the fault)`,
    }))
}
