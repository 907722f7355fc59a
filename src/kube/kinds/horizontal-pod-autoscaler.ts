/** HorizontalPodAutoscaler. */
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import { defineKind } from './define-kind.ts'

export const horizontalPodAutoscalers = defineKind<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  singular: 'horizontalpodautoscaler',
  namespaced: true,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
