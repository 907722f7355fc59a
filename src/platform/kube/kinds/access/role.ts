/** The Role kind. */
import type { Role } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from '../define-kind.ts'
import { plainTable } from '../standard-columns.ts'
import { validateRules } from './rbac-rules.ts'

export const roles = defineKind<Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  namespaced: true,
  hasStatus: false,
  allowCreateOnUpdate: true,
  nameRule: 'path-segment',
  validate: (role) => validateRules(role.rules, true),
  ...plainTable,
})
