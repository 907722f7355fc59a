/** ResourceQuota. */
import type { ResourceQuota } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const resourceQuotas = defineKind<ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  namespaced: true,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
