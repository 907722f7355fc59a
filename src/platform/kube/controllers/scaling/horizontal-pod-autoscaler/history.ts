/** The recent recommendations and scaling events of an autoscaler's target. */

interface TimedReplicas {
  at: number
  replicas: number
}

export interface History {
  /** Replica counts computed from the metrics, before limits. */
  recommendations: TimedReplicas[]
  /** Replicas added and removed. */
  ups: TimedReplicas[]
  downs: TimedReplicas[]
}

/** The longest stabilization window or policy period that the API allows. */
const RETENTION_MS = 3_600_000

export const createHistory = (replicas: number, now: number): History => ({
  recommendations: [{ at: now, replicas }],
  ups: [],
  downs: [],
})

const append = (list: TimedReplicas[], replicas: number, now: number): void => {
  while (list.length > 0 && list[0]!.at < now - RETENTION_MS) list.shift()
  list.push({ at: now, replicas })
}

export const recordRecommendation = ({ recommendations }: History, replicas: number, now: number): void =>
  append(recommendations, replicas, now)

export const recordScaling = (history: History, from: number, to: number, now: number): void => {
  if (to > from) append(history.ups, to - from, now)
  else append(history.downs, from - to, now)
}

interface StabilizationWindow {
  pick: 'highest' | 'lowest'
  windowMs: number
  now: number
}

/** Returns the highest or lowest of `desired` and the recommendations within the window. */
export const stabilizeReplicas = (
  { recommendations }: History,
  desired: number,
  { pick, windowMs, now }: StabilizationWindow,
): number =>
  recommendations
    .filter(({ at }) => at > now - windowMs)
    .reduce((result, { replicas }) => (pick === 'highest' ? Math.max : Math.min)(result, replicas), desired)

/** Returns the number of replicas changed within the period. */
export const changeWithin = (list: readonly TimedReplicas[], periodSeconds: number, now: number): number =>
  list.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, { replicas }) => sum + replicas, 0)
