/** PriorityClass. */
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const priorityClasses = defineKind<PriorityClass>({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  singular: 'priorityclass',
  namespaced: false,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
