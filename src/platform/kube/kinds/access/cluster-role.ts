/** The ClusterRole kind. */
import type { ClusterRole } from 'kubernetes-types/rbac/v1.d.ts'
import { required } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { plainTable } from '../standard-columns.ts'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'
import { validateRules } from './rbac-rules.ts'

export const clusterRoles = defineKind<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  namespaced: false,
  hasStatus: false,
  allowCreateOnUpdate: true,
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
