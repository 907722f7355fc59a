/** Limits a recommendation by stabilization windows, scaling policies and the bounds of the spec. */
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { changeWithin, type History, recordRecommendation, stabilizeReplicas } from './history.ts'

const DOWNSCALE_WINDOW_SECONDS = 300
const UPSCALE_FACTOR = 2
const MIN_UPSCALE_LIMIT = 4

export interface Recommendation {
  spec: HorizontalPodAutoscalerSpec
  history: History
  current: number
  desired: number
  now: number
}

interface Limit {
  replicas: number
  reason: string
  message: string
}

export interface Decision {
  /** For the condition AbleToScale. */
  stabilized: Limit
  /** For the condition ScalingLimited, which is true if the two replica counts differ. */
  limited: Limit
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

const minReplicasOf = ({ minReplicas }: HorizontalPodAutoscalerSpec): number => minReplicas ?? 1

/** Used without `spec.behavior`: scaling down waits five minutes; scaling up at most doubles, or reaches four. */
const applyDefaults = ({ spec, history, current, desired, now }: Recommendation): Decision => {
  const replicas = stabilizeReplicas(history, desired, {
    pick: 'highest',
    windowMs: DOWNSCALE_WINDOW_SECONDS * 1000,
    now,
  })
  const stabilized = { replicas, ...(replicas === desired ? MATCHES : HIGHER) }
  const fastest = Math.max(UPSCALE_FACTOR * current, MIN_UPSCALE_LIMIT)
  const min = minReplicasOf(spec)
  const max = Math.min(spec.maxReplicas, fastest)
  if (replicas < min) return { stabilized, limited: { replicas: min, ...TOO_FEW } }
  if (replicas > max)
    return {
      stabilized,
      limited: { replicas: max, ...(spec.maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY) },
    }
  return { stabilized, limited: { replicas, ...WITHIN } }
}

const stabilize = ({ spec, history, current, desired, now }: Recommendation): Limit => {
  const windowOf = (rules: HPAScalingRules | undefined, defaultSeconds: number): number =>
    (rules?.stabilizationWindowSeconds ?? defaultSeconds) * 1000
  const upWindow = windowOf(spec.behavior?.scaleUp, 0)
  const floor = stabilizeReplicas(history, desired, { pick: 'lowest', windowMs: upWindow, now })
  const downWindow = windowOf(spec.behavior?.scaleDown, DOWNSCALE_WINDOW_SECONDS)
  const ceiling = stabilizeReplicas(history, desired, { pick: 'highest', windowMs: downWindow, now })
  const replicas = Math.min(Math.max(current, floor), ceiling)
  if (replicas === desired) return { replicas, ...MATCHES }
  return { replicas, ...(desired >= current ? LOWER : HIGHER) }
}

/** Returns the replica count that the policies allow; `selectPolicy` picks the largest or smallest change. */
const allowedReplicas = (
  { history, current, now }: Recommendation,
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
  const takesMax = (direction === 'up') === (rules?.selectPolicy !== 'Min')
  const limit = takesMax ? Math.max(...proposals) : Math.min(...proposals)
  return direction === 'up' ? Math.max(limit, current) : Math.min(limit, current)
}

const limitRate = (recommendation: Recommendation, desired: number): Limit => {
  const { spec, current } = recommendation
  const min = minReplicasOf(spec)
  if (desired > current) {
    const fastest = allowedReplicas(recommendation, spec.behavior?.scaleUp, 'up')
    const max = Math.min(spec.maxReplicas, fastest)
    if (desired > max) return { replicas: max, ...(spec.maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY) }
  } else if (desired < current) {
    const fastest = allowedReplicas(recommendation, spec.behavior?.scaleDown, 'down')
    const lowest = Math.max(min, fastest)
    if (desired < lowest) return { replicas: lowest, ...(min < fastest ? TOO_FAST_DOWN : TOO_FEW) }
  }
  return { replicas: desired, ...WITHIN }
}

/** Limits the recommendation, and records the unlimited value in the history. */
export const limitScaling = (recommendation: Recommendation): Decision => {
  const { spec, history, desired, now } = recommendation
  let decision: Decision
  if (spec.behavior === undefined) decision = applyDefaults(recommendation)
  else {
    const stabilized = stabilize(recommendation)
    decision = { stabilized, limited: limitRate(recommendation, stabilized.replicas) }
  }
  recordRecommendation(history, desired, now)
  return decision
}
