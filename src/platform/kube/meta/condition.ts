/** Status conditions: one per type, with the time of the last status change. */
import { defined } from '#kit'
import { toTime } from './time.ts'

interface Condition {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

/** Returns the condition to store. `lastTransitionTime` changes only if `status` changes. */
export const toCondition = <C extends Condition>(
  conditions: readonly C[] | undefined,
  next: Omit<C, 'lastTransitionTime'>,
  now: number,
): C => {
  const previous = conditions?.find(({ type }) => type === next.type)
  const since = previous?.status === next.status ? previous.lastTransitionTime : undefined
  const { reason, message, ...rest } = next
  return {
    ...rest,
    lastTransitionTime: since ?? toTime(now),
    ...defined({ reason, message }),
  } as C
}

/** Returns the conditions with the one of the same type replaced, or with `next` appended. */
export const setCondition = <C extends Condition>(
  conditions: readonly C[] | undefined,
  next: Omit<C, 'lastTransitionTime'>,
  now: number,
): C[] => {
  const condition = toCondition(conditions, next, now)
  const all = conditions ?? []
  return all.some(({ type }) => type === next.type)
    ? all.map((existing) => (existing.type === next.type ? condition : existing))
    : [...all, condition]
}
