/** HorizontalPodAutoscaler. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { metricsText } from './autoscaler-columns.ts'
import { defaultAutoscalerSpec } from './autoscaler-defaults.ts'
import { autoscalerV1 } from './autoscaler-v1.ts'
import { validateAutoscalerSpec } from './autoscaler-validation.ts'
import { defineKind } from './define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

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
    // Go writes the list that is not there yet as null.
    autoscaler.status = {
      desiredReplicas: 0,
      currentMetrics: null,
    } as unknown as HorizontalPodAutoscalerStatus
  },
  validate: ({ spec }) => validateAutoscalerSpec(spec),
  columns: [
    nameColumn,
    textColumn('Reference', 'What it scales.'),
    textColumn('Targets', 'Each metric as it is, against what it should be.'),
    textColumn('MinPods', 'Pods it never goes below.'),
    textColumn('MaxPods', 'Pods it never goes above.'),
    textColumn('Replicas', 'Pods that there are.'),
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
