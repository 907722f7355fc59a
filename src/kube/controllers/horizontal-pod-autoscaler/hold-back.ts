/** Holds the advice of the metrics back: by stabilisation windows, by rates of change, by the bounds of the spec. */
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { changeWithin, extremeOf, type History, rememberRecommendation } from './history.ts'

const DOWNSCALE_WINDOW_SECONDS = 300
const UPSCALE_FACTOR = 2
const UPSCALE_LEAST = 4

export interface Advice {
  spec: HorizontalPodAutoscalerSpec
  history: History
  current: number
  desired: number
  now: number
}

interface Verdict {
  replicas: number
  reason: string
  message: string
}

export interface Decision {
  /** For AbleToScale. */
  stabilized: Verdict
  /** For ScalingLimited, which is true when the two numbers differ. */
  limited: Verdict
}

const MATCHES = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' }
const WITHIN = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' }
const HIGHER = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const LOWER = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
}
const TOO_FEW = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
}
const TOO_MANY = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
}
const TOO_FAST_UP = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
}
const TOO_FAST_DOWN = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
}

const leastOf = ({ minReplicas }: HorizontalPodAutoscalerSpec): number => minReplicas ?? 1

/** Without behaviour: five minutes of patience on the way down, doubling on the way up. */
const holdPlainly = ({ spec, history, current, desired, now }: Advice): Decision => {
  const replicas = extremeOf(history, 'highest', desired, DOWNSCALE_WINDOW_SECONDS * 1000, now)
  const stabilized = { replicas, ...(replicas === desired ? MATCHES : HIGHER) }
  const fastest = Math.max(UPSCALE_FACTOR * current, UPSCALE_LEAST)
  const least = leastOf(spec)
  const most = Math.min(spec.maxReplicas, fastest)
  if (replicas < least) return { stabilized, limited: { replicas: least, ...TOO_FEW } }
  if (replicas > most)
    return {
      stabilized,
      limited: { replicas: most, ...(spec.maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY) },
    }
  return { stabilized, limited: { replicas, ...WITHIN } }
}

const stabilize = ({ spec, history, current, desired, now }: Advice): Verdict => {
  const windowOf = (rules: HPAScalingRules | undefined, otherwise: number): number =>
    (rules?.stabilizationWindowSeconds ?? otherwise) * 1000
  const floor = extremeOf(history, 'lowest', desired, windowOf(spec.behavior?.scaleUp, 0), now)
  const downWindow = windowOf(spec.behavior?.scaleDown, DOWNSCALE_WINDOW_SECONDS)
  const ceiling = extremeOf(history, 'highest', desired, downWindow, now)
  const replicas = Math.min(Math.max(current, floor), ceiling)
  if (replicas === desired) return { replicas, ...MATCHES }
  return { replicas, ...(desired >= current ? LOWER : HIGHER) }
}

/** The number that the policies allow; of several, the largest change or the smallest, as the rules select. */
const rateLimit = (
  { history, current, now }: Advice,
  rules: HPAScalingRules | undefined,
  direction: 'up' | 'down',
): number => {
  if (rules?.selectPolicy === 'Disabled') return current
  const proposals = (rules?.policies ?? []).map(({ type, value, periodSeconds }: HPAScalingPolicy) => {
    const added = changeWithin(history.ups, periodSeconds, now)
    const removed = changeWithin(history.downs, periodSeconds, now)
    const before = current - added + removed
    if (direction === 'up') return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100))
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100))
  })
  if (proposals.length === 0) return current
  const takesMost = (direction === 'up') === (rules?.selectPolicy !== 'Min')
  const limit = takesMost ? Math.max(...proposals) : Math.min(...proposals)
  return direction === 'up' ? Math.max(limit, current) : Math.min(limit, current)
}

const limitRate = (advice: Advice, desired: number): Verdict => {
  const { spec, current } = advice
  const least = leastOf(spec)
  if (desired > current) {
    const fastest = rateLimit(advice, spec.behavior?.scaleUp, 'up')
    const most = Math.min(spec.maxReplicas, fastest)
    if (desired > most) return { replicas: most, ...(spec.maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY) }
  } else if (desired < current) {
    const fastest = rateLimit(advice, spec.behavior?.scaleDown, 'down')
    const fewest = Math.max(least, fastest)
    if (desired < fewest) return { replicas: fewest, ...(least < fastest ? TOO_FAST_DOWN : TOO_FEW) }
  }
  return { replicas: desired, ...WITHIN }
}

/** What to do about the advice, which is remembered as it was given. */
export const holdBack = (advice: Advice): Decision => {
  const { spec, history, desired, now } = advice
  let decision: Decision
  if (spec.behavior === undefined) decision = holdPlainly(advice)
  else {
    const stabilized = stabilize(advice)
    decision = { stabilized, limited: limitRate(advice, stabilized.replicas) }
  }
  rememberRecommendation(history, desired, now)
  return decision
}
