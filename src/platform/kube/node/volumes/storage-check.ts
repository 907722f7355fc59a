/** Measures the disk usage of a pod periodically and evicts the pod if it exceeds its limits. */
import type { Timer } from '#kit'
import type { PodWork } from '../pods/pod-work.ts'
import { exceededAllowance, exceededLimit, hasStorageLimits } from './storage-limits.ts'

export interface StorageCheck {
  /** Starts to measure a pod that has limits or an allowance; does nothing if already started. */
  start(): void
  cancel(): void
}

export const createStorageCheck = (work: PodWork, evict: (message: string) => void): StorageCheck => {
  const { clock, runtime, diskCheckMs, storageAllowance: allowance, isAlive } = work.context
  let timer: Timer | undefined
  let hasStarted = false

  const schedule = (): void => {
    timer = clock.after(diskCheckMs, () => {
      if (isAlive() && work.sandbox !== undefined && work.attempt(measure)) return
      schedule()
    })
  }

  const measure = (): void =>
    runtime.diskUsage(work.pod, (outcome) => {
      if (work.ended || work.stopping !== undefined) return
      schedule()
      work.attempt(() => {
        if (!outcome.ok) throw outcome.error
        const { pod } = work
        const message =
          exceededLimit(pod, outcome.value) ??
          (allowance === undefined ? undefined : exceededAllowance(pod, outcome.value, allowance))
        if (message === undefined || !isAlive()) return
        timer?.cancel()
        evict(message)
      })
    })

  return {
    start() {
      if (hasStarted || (allowance === undefined && !hasStorageLimits(work.pod))) return
      hasStarted = true
      schedule()
    },
    cancel: () => timer?.cancel(),
  }
}
