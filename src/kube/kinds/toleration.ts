/** Whether tolerations put up with a taint. */
import type { Taint, Toleration } from 'kubernetes-types/core/v1.d.ts'

/** An empty key or effect stands for all of them; an empty operator for Equal. */
export const toleratesTaint = (
  { key = '', operator = '', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean => {
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (['', 'Equal'].includes(operator) && value === (taint.value ?? ''))
}

/** Whether one of them does. */
export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  tolerations?.some((toleration) => toleratesTaint(toleration, taint)) === true
