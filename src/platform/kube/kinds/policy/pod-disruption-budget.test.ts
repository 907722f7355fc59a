/** Tests the validation of PodDisruptionBudgets. */
import { describe, expect, it } from 'vitest'
import { errorsOnCreate } from '../testing/kind-errors.ts'
import { podDisruptionBudgets } from './pod-disruption-budget.ts'

describe('PodDisruptionBudget', () => {
  it('rejects minAvailable together with maxUnavailable, and invalid percentages', () => {
    expect(errorsOnCreate(podDisruptionBudgets, { minAvailable: 1, maxUnavailable: 1 })).toEqual([
      'spec: Invalid value: policy.PodDisruptionBudgetSpec{MinAvailable:1, MaxUnavailable:1}: minAvailable and maxUnavailable cannot be both set',
    ])
    expect(errorsOnCreate(podDisruptionBudgets, { minAvailable: 'half' })[0]).toMatch(
      /^spec\.minAvailable: Invalid value: intstr.*: a valid percent string must be a numeric string followed by an ending '%'/,
    )
    expect(errorsOnCreate(podDisruptionBudgets, { maxUnavailable: '50%' })).toEqual([])
  })
})
