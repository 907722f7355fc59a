/** The RoleBinding kind. */
import type { RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from '../define-kind.ts'
import { bindingColumns, bindingRow, defaultBinding, validateBinding } from './rbac-rules.ts'

export const roleBindings = defineKind<RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  namespaced: true,
  hasStatus: false,
  allowCreateOnUpdate: true,
  nameRule: 'path-segment',
  defaults: defaultBinding,
  validate: (binding, old) => validateBinding(binding, old, ['Role', 'ClusterRole'], true),
  columns: bindingColumns(
    'roleBinding',
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  row: bindingRow,
})
