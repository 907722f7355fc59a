/** ClusterRole. */
import type { ClusterRole } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from './define-kind.ts'

export const clusterRoles = defineKind<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  namespaced: false,
  hasStatus: false,
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'Name of the object.', priority: 0 }],
  row: (object) => [object.metadata.name],
})
