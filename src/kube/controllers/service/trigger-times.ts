/** Since when endpoints are out of date: the earliest change of a pod or Service that they do not show yet. */
import type { Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import { podCondition } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import { keyOf } from '../define-controller.ts'

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

export interface TriggerTimes {
  /** The time to write down with the change that is about to be made; nothing where none is known. */
  next(service: Stored<Service>, selected: readonly Stored<Pod>[]): string | undefined
  forget(key: string): void
}

/** Times compare as texts: all are in the same form. */
export const createTriggerTimes = (): TriggerTimes => {
  const known = new Map<string, { service: string; pods: Map<string, string> }>()
  return {
    next(service, selected) {
      const key = keyOf(service)
      const before = known.get(key)
      const created = service.metadata.creationTimestamp
      const times = new Map<string, string>()
      let earliest: string | undefined
      const consider = (time: string, last: string): void => {
        if (time > last && (earliest === undefined || time < earliest)) earliest = time
      }
      for (const pod of selected) {
        const ready = podCondition(pod, 'Ready')?.lastTransitionTime
        if (ready === undefined || ready === null) continue
        times.set(pod.metadata.name, ready)
        consider(ready, before?.pods.get(pod.metadata.name) ?? '')
      }
      known.set(key, { service: created, pods: times })
      if (before === undefined) return created
      consider(created, before.service)
      return earliest
    },
    forget: (key) => {
      known.delete(key)
    },
  }
}
