/** EndpointSlice. */
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const endpointSlices = defineKind<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  singular: 'endpointslice',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
