/** LimitRange. */
import type { LimitRange } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const limitRanges = defineKind<LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  singular: 'limitrange',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
