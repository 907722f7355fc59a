/** Whether tolerations put up with a taint. */
import type { Taint, Toleration } from 'kubernetes-types/core/v1.d.ts'

const matches = ({ key, operator, value, effect }: Toleration, taint: Taint): boolean => {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false
  if (key === undefined || key === '') return operator === 'Exists'
  if (key !== taint.key) return false
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '')
}

export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  tolerations?.some((toleration) => matches(toleration, taint)) === true
