/** Matches tolerations against taints. */
import type { Taint, Toleration } from 'kubernetes-types/core/v1.d.ts'

/** Whether the toleration matches the taint. An empty key or effect matches all; an empty operator means Equal. */
export const toleratesTaint = (
  { key = '', operator = '', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean => {
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (['', 'Equal'].includes(operator) && value === (taint.value ?? ''))
}

/** Whether any of the tolerations matches the taint. */
export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  tolerations?.some((toleration) => toleratesTaint(toleration, taint)) === true
