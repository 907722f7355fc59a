/** PodDisruptionBudget. */
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from 'kubernetes-types/policy/v1.d.ts'
import { type FieldError, invalid, notSupported } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { goStruct } from './go-text.ts'
import { validateLabelSelector } from './label-selector-validation.ts'
import { validateAtMostAll, validateCountOrPercent } from './number-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'
import { countColumn } from './workload-columns.ts'

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget']

const validateSpec = (spec: PodDisruptionBudgetSpec): FieldError[] => {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [
          invalid(
            'spec',
            goStruct('policy.PodDisruptionBudgetSpec', spec),
            'minAvailable and maxUnavailable cannot be both set',
          ),
        ]
      : []),
    ...validateCountOrPercent(minAvailable, 'spec.minAvailable'),
    ...validateAtMostAll(minAvailable, 'spec.minAvailable'),
    ...validateCountOrPercent(maxUnavailable, 'spec.maxUnavailable'),
    ...validateAtMostAll(maxUnavailable, 'spec.maxUnavailable'),
    ...validateLabelSelector(spec.selector, 'spec.selector'),
    ...(policy === undefined || EVICTION_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES)]),
  ]
}

export const podDisruptionBudgets = defineKind<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  shortNames: ['pdb'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  conditionalUpdate: true,
  defaults(budget) {
    budget.spec ??= {}
  },
  prepareCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  },
  validate: ({ spec }) => validateSpec(spec),
  columns: [
    nameColumn,
    textColumn('Min Available', 'Pods that must stay available.'),
    textColumn('Max Unavailable', 'Pods that may be unavailable.'),
    countColumn('Allowed Disruptions', 'Pods that may be evicted now.'),
    ageColumn,
  ],
  row: (budget, context) => [
    budget.metadata.name,
    String(budget.spec.minAvailable ?? 'N/A'),
    String(budget.spec.maxUnavailable ?? 'N/A'),
    budget.status.disruptionsAllowed,
    ageCell(budget, context),
  ],
})
