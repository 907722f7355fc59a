/** Service. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const services = defineKind<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  singular: 'service',
  namespaced: true,
  hasStatus: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
