/** The status of an autoscaler during its evaluation. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { defined } from '#kit'
import { type Stored, setCondition, toTime } from '#platform/kube/meta'

export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited'

export interface DraftStatus {
  set(type: ConditionType, status: boolean, reason: string, message: string): void
  /** Returns the final status. `desiredReplicas` is 0 if unknown; `scaled` sets the time of the last scaling. */
  finish(
    currentReplicas: number,
    desiredReplicas: number,
    metrics: readonly MetricStatus[] | undefined,
    scaled: boolean,
  ): HorizontalPodAutoscalerStatus
  /** Returns the old status with the new conditions. */
  withConditionsOnly(): HorizontalPodAutoscalerStatus
}

export const createDraftStatus = ({ status }: Stored<HorizontalPodAutoscaler>, now: number): DraftStatus => {
  let conditions: HorizontalPodAutoscalerCondition[] = status.conditions ?? []
  return {
    set(type, value, reason, message) {
      conditions = setCondition(conditions, { type, status: value ? 'True' : 'False', reason, message }, now)
    },
    finish: (currentReplicas, desiredReplicas, metrics, scaled) => ({
      ...(scaled ? { lastScaleTime: toTime(now) } : defined({ lastScaleTime: status.lastScaleTime })),
      ...(currentReplicas === 0 ? {} : { currentReplicas }),
      desiredReplicas,
      // Go serializes a nil slice as null.
      currentMetrics: (metrics === undefined ? null : [...metrics]) as MetricStatus[],
      conditions,
    }),
    withConditionsOnly: () => ({ ...status, conditions }),
  }
}
