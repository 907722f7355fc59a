/** Conditions of statuses: one of each type, with the time when its status last changed. */
import { toTime } from './time.ts'

interface Condition {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

/** The conditions with `next` in the place of the one of its type, or at the end. */
export const putCondition = <C extends Condition>(
  conditions: readonly C[] | undefined,
  next: Omit<C, 'lastTransitionTime'>,
  now: number,
): C[] => {
  const before = conditions?.find(({ type }) => type === next.type)
  const since = before?.status === next.status ? before.lastTransitionTime : undefined
  const { reason, message, ...rest } = next
  const condition = {
    ...rest,
    lastTransitionTime: since ?? toTime(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  } as C
  return before === undefined
    ? [...(conditions ?? []), condition]
    : conditions!.map((one) => (one === before ? condition : one))
}
