/** Lease. */
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const leases = defineKind<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
