/** The defaults of a HorizontalPodAutoscaler. */
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricTarget,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { canonicalQuantity } from '#platform/kube/meta'

const DEFAULT_SCALE_UP: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const DEFAULT_SCALE_DOWN: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

const canonicalizeTarget = (target: MetricTarget | undefined): void => {
  if (target?.value !== undefined) target.value = canonicalQuantity(target.value)
  if (target?.averageValue !== undefined) target.averageValue = canonicalQuantity(target.averageValue)
}

export const defaultAutoscalerSpec = (spec: HorizontalPodAutoscalerSpec): void => {
  spec.minReplicas ??= 1
  if ((spec.metrics ?? []).length === 0)
    spec.metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
    ]
  for (const metric of spec.metrics ?? []) {
    const source =
      metric.resource ?? metric.containerResource ?? metric.pods ?? metric.object ?? metric.external
    canonicalizeTarget(source?.target)
  }
  if (spec.behavior === undefined) return
  spec.behavior.scaleUp = { ...structuredClone(DEFAULT_SCALE_UP), ...spec.behavior.scaleUp }
  spec.behavior.scaleDown = { ...structuredClone(DEFAULT_SCALE_DOWN), ...spec.behavior.scaleDown }
}
