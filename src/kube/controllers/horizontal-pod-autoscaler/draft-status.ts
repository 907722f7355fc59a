/** The status of an autoscaler while it is being worked out. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { type Stored, toTime } from '../../meta/index.ts'

export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited'

export interface DraftStatus {
  set(type: ConditionType, status: boolean, reason: string, message: string): void
  /** The replicas found, those wanted (0 when that is not known), and the figures; with the time of a change made now. */
  finish(
    currentReplicas: number,
    desiredReplicas: number,
    metrics: readonly MetricStatus[] | undefined,
    scaled: boolean,
  ): HorizontalPodAutoscalerStatus
  /** As it was, but for the conditions. */
  unfinished(): HorizontalPodAutoscalerStatus
}

export const createDraftStatus = ({ status }: Stored<HorizontalPodAutoscaler>, now: number): DraftStatus => {
  const conditions: HorizontalPodAutoscalerCondition[] = [...(status.conditions ?? [])]
  return {
    set(type, value, reason, message) {
      const index = conditions.findIndex((condition) => condition.type === type)
      const before = conditions[index]
      const text = value ? 'True' : 'False'
      const since = before?.status === text ? before.lastTransitionTime : undefined
      const next = { type, status: text, lastTransitionTime: since ?? toTime(now), reason, message }
      if (index < 0) conditions.push(next)
      else conditions[index] = next
    },
    finish: (currentReplicas, desiredReplicas, metrics, scaled) => ({
      ...(scaled
        ? { lastScaleTime: toTime(now) }
        : status.lastScaleTime === undefined
          ? {}
          : { lastScaleTime: status.lastScaleTime }),
      ...(currentReplicas === 0 ? {} : { currentReplicas }),
      desiredReplicas,
      // Go writes a list that was never made as null.
      currentMetrics: (metrics === undefined ? null : [...metrics]) as MetricStatus[],
      conditions,
    }),
    unfinished: () => ({ ...status, conditions }),
  }
}
