/** PodDisruptionBudget. */
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const podDisruptionBudgets = defineKind<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
