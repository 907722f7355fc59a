/** Damage that shows in calls: a service outside the fault that fails more of them than before. */
import type { Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import type { Permissions } from '../permissions.ts'

/** So many errors, and such a share of the calls above the usual one, are no accident. */
const LEAST_ERRORS = 5
const LEAST_MORE = 0.1
/** Of fewer calls before the fault no usual share is known. */
const LEAST_USUAL = 10

/**
 * What is further back is past, where so many calls came after it: users who hung are let go all at once by a right repair, and
 * for a moment overrun services that nobody has touched.
 */
const RECENT_MS = 10_000
const RECENT_CALLS = 20

interface Tally {
  count: number
  errors: number
}

/** The newest calls of each service, as far back as they matter. */
const tally = (calls: EpisodeFacts['calls'], recentSince = Number.NEGATIVE_INFINITY): Map<string, Tally> => {
  const byService = new Map<string, Tally>()
  for (const { at, edges } of calls.toReversed()) {
    const open = (service: string): boolean =>
      at > recentSince || (byService.get(service)?.count ?? 0) < RECENT_CALLS
    const closed = new Set(edges.map(({ to }) => to).filter((service) => !open(service)))
    for (const { to, count, errors } of edges) {
      if (closed.has(to)) continue
      const sum = byService.get(to) ?? { count: 0, errors: 0 }
      byService.set(to, { count: sum.count + count, errors: sum.errors + errors })
    }
  }
  return byService
}

/** `since`: only what was observed wholly after it counts. */
export const callDamage = (view: EpisodeFacts, permissions: Permissions, since: number): Damage[] => {
  const injected = Math.min(...[...view.injections.values()].map((one) => one.since), view.began ?? view.at)
  const before = tally(view.calls.filter(({ at }) => at <= injected))
  const now = tally(
    view.calls.filter(({ from }) => from >= since),
    view.at - RECENT_MS,
  )
  return [...now].flatMap(([service, { count, errors }]) => {
    const usual = before.get(service) ?? { count: 0, errors: 0 }
    const share = usual.count < LEAST_USUAL ? 0 : usual.errors / usual.count
    if (permissions.services.has(service) || errors < LEAST_ERRORS || errors / count < share + LEAST_MORE)
      return []
    const what = `fails ${errors} of ${count} calls (${usual.errors} of ${usual.count} before the fault)`
    return [{ object: `Service/${service}`, what }]
  })
}
