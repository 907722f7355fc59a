/** Pod. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const pods = defineKind<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  namespaced: true,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
