/** Endpoints. */
import type { Endpoints } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const endpoints = defineKind<Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
