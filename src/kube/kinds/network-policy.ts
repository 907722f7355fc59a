/** NetworkPolicy. */
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const networkPolicies = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  namespaced: true,
  hasStatus: false,
  hasGeneration: true,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
