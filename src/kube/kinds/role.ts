/** Role. */
import type { Role } from 'kubernetes-types/rbac/v1.d.ts'
import { defineKind } from './define-kind.ts'
import { validateRules } from './rbac-rules.ts'
import { plainTable } from './standard-columns.ts'

export const roles = defineKind<Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  namespaced: true,
  hasStatus: false,
  createOnUpdate: true,
  nameRule: 'path-segment',
  validate: (role) => validateRules(role.rules, true),
  ...plainTable,
})
