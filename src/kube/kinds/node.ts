/** Node. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const nodes = defineKind<Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  namespaced: false,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
