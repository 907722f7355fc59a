/** The HorizontalPodAutoscaler kind. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { metricsText } from './autoscaler-columns.ts'
import { defaultAutoscalerSpec } from './autoscaler-defaults.ts'
import { autoscalerV1 } from './autoscaler-v1.ts'
import { validateAutoscalerSpec } from './autoscaler-validation.ts'

export const horizontalPodAutoscalers = defineKind<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  singular: 'horizontalpodautoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  otherVersions: [autoscalerV1],
  defaults(autoscaler) {
    autoscaler.spec ??= {} as HorizontalPodAutoscalerSpec
    defaultAutoscalerSpec(autoscaler.spec)
  },
  prepareCreate(autoscaler) {
    // Go writes a nil list as null.
    autoscaler.status = {
      desiredReplicas: 0,
      currentMetrics: null,
    } as unknown as HorizontalPodAutoscalerStatus
  },
  validate: ({ spec }) => validateAutoscalerSpec(spec),
  columns: [
    nameColumn,
    textColumn(
      'Reference',
      'scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.',
    ),
    textColumn(
      'Targets',
      'metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used).  The desired replica count is calculated multiplying the ratio between the target value and the current value by the current number of pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for more information about how each type of metric must respond.',
    ),
    textColumn(
      'MinPods',
      'minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is active as long as at least one metric value is available.',
    ),
    textColumn(
      'MaxPods',
      'maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be less that minReplicas.',
    ),
    textColumn(
      'Replicas',
      'currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the autoscaler.',
    ),
    ageColumn,
  ],
  row: (autoscaler, context) => [
    autoscaler.metadata.name,
    `${autoscaler.spec.scaleTargetRef.kind}/${autoscaler.spec.scaleTargetRef.name}`,
    metricsText(autoscaler),
    String(autoscaler.spec.minReplicas ?? '<unset>'),
    autoscaler.spec.maxReplicas,
    autoscaler.status.currentReplicas ?? 0,
    ageCell(autoscaler, context),
  ],
})
