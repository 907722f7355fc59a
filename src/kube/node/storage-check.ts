/** Measures again and again what a pod that is held to something has laid on the disk, and evicts it when that is too much. */
import type { Timer } from '../../kit/index.ts'
import type { PodWork } from './pod-work.ts'
import { exceededAllowance, exceededLimit, hasStorageLimits } from './storage-limits.ts'

export interface StorageCheck {
  /** Begins, for a pod that has a sandbox and is held to something; does nothing for others or when begun. */
  begin(): void
  cancel(): void
}

export const createStorageCheck = (work: PodWork, evict: (message: string) => void): StorageCheck => {
  const { clock, runtime, diskCheckMs, storageAllowance: allowance, isAlive } = work.context
  let timer: Timer | undefined
  let isBegun = false

  const later = (): void => {
    timer = clock.after(diskCheckMs, () => {
      if (isAlive() && work.sandbox !== undefined && work.attempt(measure)) return
      later()
    })
  }

  const measure = (): void =>
    runtime.diskUsage(work.pod, (outcome) => {
      if (work.ended || work.stopping !== undefined) return
      later()
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
    begin() {
      if (isBegun || (allowance === undefined && !hasStorageLimits(work.pod))) return
      isBegun = true
      later()
    },
    cancel: () => timer?.cancel(),
  }
}
