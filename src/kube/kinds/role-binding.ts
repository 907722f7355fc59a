/** RoleBinding. */
import type { RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const roleBindings = defineKind<RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  namespaced: true,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
