/** ClusterRole. */
import type { ClusterRole } from 'kubernetes-types/rbac/v1.d.ts'
import { required } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { validateLabelSelector } from './label-selector-validation.ts'
import { validateRules } from './rbac-rules.ts'
import { plainTable } from './standard-columns.ts'

export const clusterRoles = defineKind<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  namespaced: false,
  hasStatus: false,
  createOnUpdate: true,
  nameRule: 'path-segment',
  validate: ({ rules, aggregationRule }) => {
    const selectors = aggregationRule?.clusterRoleSelectors ?? []
    return [
      ...validateRules(rules, false),
      ...(aggregationRule !== undefined && selectors.length === 0
        ? [
            required(
              'aggregationRule.clusterRoleSelectors',
              'at least one clusterRoleSelector required if aggregationRule is non-nil',
            ),
          ]
        : []),
      ...selectors.flatMap((selector, index) =>
        validateLabelSelector(selector, `aggregationRule.clusterRoleSelectors[${index}]`),
      ),
    ]
  },
  ...plainTable,
})
