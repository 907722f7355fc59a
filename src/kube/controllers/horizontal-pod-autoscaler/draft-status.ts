/** The status of an autoscaler while it is being worked out. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { putCondition, type Stored, toTime } from '../../meta/index.ts'

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
  let conditions: HorizontalPodAutoscalerCondition[] = status.conditions ?? []
  return {
    set(type, value, reason, message) {
      conditions = putCondition(conditions, { type, status: value ? 'True' : 'False', reason, message }, now)
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
