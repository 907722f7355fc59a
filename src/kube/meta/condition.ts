/** Conditions of statuses: one of each type, with the time when its status last changed. */
import { toTime } from './time.ts'

interface Condition {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

/** The condition as it is stored; it keeps its time of transition while its status stays. */
export const conditionAt = <C extends Condition>(
  conditions: readonly C[] | undefined,
  next: Omit<C, 'lastTransitionTime'>,
  now: number,
): C => {
  const before = conditions?.find(({ type }) => type === next.type)
  const since = before?.status === next.status ? before.lastTransitionTime : undefined
  const { reason, message, ...rest } = next
  return {
    ...rest,
    lastTransitionTime: since ?? toTime(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  } as C
}

/** The conditions with `next` in the place of the one of its type, or at the end. */
export const putCondition = <C extends Condition>(
  conditions: readonly C[] | undefined,
  next: Omit<C, 'lastTransitionTime'>,
  now: number,
): C[] => {
  const condition = conditionAt(conditions, next, now)
  const all = conditions ?? []
  return all.some(({ type }) => type === next.type)
    ? all.map((one) => (one.type === next.type ? condition : one))
    : [...all, condition]
}
