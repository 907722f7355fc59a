/** ClusterRoleBinding. */
import type { ClusterRoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const clusterRoleBindings = defineKind<ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  namespaced: false,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
