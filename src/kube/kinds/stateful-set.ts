/** StatefulSet. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const statefulSets = defineKind<StatefulSet>({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  singular: 'statefulset',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
