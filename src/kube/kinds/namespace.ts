/** Namespace. */
import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const namespaces = defineKind<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  namespaced: false,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
