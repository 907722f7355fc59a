/** What an autoscaler remembers of each target: its own recent advice, and what it did about it. */

interface Timed {
  at: number
  replicas: number
}

export interface History {
  /** What the metrics called for, before anything held it back. */
  recommendations: Timed[]
  /** By how much the target grew and shrank. */
  ups: Timed[]
  downs: Timed[]
}

/** The longest window or period that an autoscaler may ask for. */
const MEMORY_MS = 3_600_000

/** The history of a target that now has so many replicas. */
export const createHistory = (replicas: number, now: number): History => ({
  recommendations: [{ at: now, replicas }],
  ups: [],
  downs: [],
})

const remember = (list: Timed[], replicas: number, now: number): void => {
  while (list.length > 0 && list[0]!.at < now - MEMORY_MS) list.shift()
  list.push({ at: now, replicas })
}

export const rememberRecommendation = ({ recommendations }: History, replicas: number, now: number): void =>
  remember(recommendations, replicas, now)

export const rememberScaling = (history: History, from: number, to: number, now: number): void => {
  if (to > from) remember(history.ups, to - from, now)
  else remember(history.downs, from - to, now)
}

/** The highest or lowest of `own` and the advice given within the window. */
export const extremeOf = (
  { recommendations }: History,
  pick: 'highest' | 'lowest',
  own: number,
  windowMs: number,
  now: number,
): number =>
  recommendations
    .filter(({ at }) => at > now - windowMs)
    .reduce((result, { replicas }) => (pick === 'highest' ? Math.max : Math.min)(result, replicas), own)

/** By how much the target changed within the period. */
export const changeWithin = (list: readonly Timed[], periodSeconds: number, now: number): number =>
  list.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, { replicas }) => sum + replicas, 0)
