/** ServiceAccount. */
import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const serviceAccounts = defineKind<ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
