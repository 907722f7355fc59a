/** The PodDisruptionBudget kind. */
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from 'kubernetes-types/policy/v1.d.ts'
import { type FieldError, invalid, notSupported } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { goStruct } from '../validation/go-text.ts'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'
import { validateAtMost100Percent, validateCountOrPercent } from '../validation/number-validation.ts'
import { countColumn } from '../workloads/workload-columns.ts'

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
    ...validateAtMost100Percent(minAvailable, 'spec.minAvailable'),
    ...validateCountOrPercent(maxUnavailable, 'spec.maxUnavailable'),
    ...validateAtMost100Percent(maxUnavailable, 'spec.maxUnavailable'),
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
  requireResourceVersion: true,
  defaults(budget) {
    budget.spec ??= {}
  },
  prepareCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  },
  validate: ({ spec }) => validateSpec(spec),
  columns: [
    nameColumn,
    textColumn('Min Available', 'The minimum number of pods that must be available.'),
    textColumn('Max Unavailable', 'The maximum number of pods that may be unavailable.'),
    countColumn('Allowed Disruptions', 'Calculated number of pods that may be disrupted at this time.'),
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
