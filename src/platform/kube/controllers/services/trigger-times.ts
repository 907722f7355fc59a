/** Tracks the earliest change of a pod or Service that the endpoints do not reflect yet. */
import type { Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import { podCondition } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { keyOf } from '../define-controller.ts'

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

export interface TriggerTimes {
  /** Returns the trigger time for the next write, or undefined if none is known. */
  next(service: Stored<Service>, selected: readonly Stored<Pod>[]): string | undefined
  forget(key: string): void
}

/** Compares times as strings; all have the same format. */
export const createTriggerTimes = (): TriggerTimes => {
  const lastTimes = new Map<string, { service: string; pods: Map<string, string> }>()
  return {
    next(service, selected) {
      const key = keyOf(service)
      const before = lastTimes.get(key)
      const created = service.metadata.creationTimestamp
      const times = new Map<string, string>()
      let earliest: string | undefined
      const updateEarliest = (time: string, last: string): void => {
        if (time > last && (earliest === undefined || time < earliest)) earliest = time
      }
      for (const pod of selected) {
        const ready = podCondition(pod, 'Ready')?.lastTransitionTime
        if (ready === undefined || ready === null) continue
        times.set(pod.metadata.name, ready)
        updateEarliest(ready, before?.pods.get(pod.metadata.name) ?? '')
      }
      lastTimes.set(key, { service: created, pods: times })
      if (before === undefined) return created
      updateEarliest(created, before.service)
      return earliest
    },
    forget: (key) => {
      lastTimes.delete(key)
    },
  }
}
