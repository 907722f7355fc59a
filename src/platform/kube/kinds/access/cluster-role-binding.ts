/** The ClusterRoleBinding kind. */
import type { ClusterRoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from '../define-kind.ts'
import { bindingColumns, bindingRow, defaultBinding, validateBinding } from './rbac-rules.ts'

export const clusterRoleBindings = defineKind<ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  namespaced: false,
  hasStatus: false,
  allowCreateOnUpdate: true,
  nameRule: 'path-segment',
  defaults: defaultBinding,
  validate: (binding, old) => validateBinding(binding, old, ['ClusterRole'], false),
  columns: bindingColumns(
    'clusterRoleBinding',
    'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  row: bindingRow,
})
