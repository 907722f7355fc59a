/** ReplicaSet. */
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const replicaSets = defineKind<ReplicaSet>({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
