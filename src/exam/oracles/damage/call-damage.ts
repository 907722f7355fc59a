/** Finds damage in calls: services outside the fault that fail more calls than before it. */
import type { Damage } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import type { Permissions } from './permissions.ts'

/** Both are required: this many errors, and this increase of the share of failed calls. */
const MIN_ERRORS = 5
const MIN_INCREASE = 0.1
/** With fewer calls before the fault, the usual share of errors counts as 0. */
const MIN_BASELINE_CALLS = 10

/**
 * Older calls do not count once this many newer ones exist: a correct repair releases all waiting users at once, and they overload
 * healthy services for a moment.
 */
const RECENT_MS = 10_000
const MIN_RECENT_CALLS = 20

interface Tally {
  count: number
  errors: number
}

/** Sums up the calls of each service, newest first, as far back as they count. */
const tally = (calls: EpisodeFacts['calls'], recentSince = Number.NEGATIVE_INFINITY): Map<string, Tally> => {
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

/** `since`: only observations that started after it count. */
export const callDamage = (view: EpisodeFacts, permissions: Permissions, since: number): Damage[] => {
  const injectedAt = Math.min(
    ...[...view.injections.values()].map((injection) => injection.since),
    view.solverStartedAt ?? view.at,
  )
  const before = tally(view.calls.filter(({ at }) => at <= injectedAt))
  const now = tally(
    view.calls.filter(({ from }) => from >= since),
    view.at - RECENT_MS,
  )
  return [...now].flatMap(([service, { count, errors }]) => {
    const baseline = before.get(service) ?? { count: 0, errors: 0 }
    const share = baseline.count < MIN_BASELINE_CALLS ? 0 : baseline.errors / baseline.count
    if (permissions.services.has(service) || errors < MIN_ERRORS || errors / count < share + MIN_INCREASE)
      return []
    const what = `fails ${errors} of ${count} calls (${baseline.errors} of ${baseline.count} before the fault)`
    return [{ object: `Service/${service}`, what }]
  })
}
