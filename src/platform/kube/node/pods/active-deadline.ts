/** Enforces the activeDeadlineSeconds of a pod. */
import type { Timer } from '#kit'
import type { PodWork } from './pod-work.ts'

export interface ActiveDeadline {
  /** Applies the pod's current activeDeadlineSeconds. */
  update(): void
  cancel(): void
}

export const createActiveDeadline = (
  work: PodWork,
  startedAt: number,
  onExceeded: () => void,
): ActiveDeadline => {
  const { clock, isAlive } = work.context
  let timer: Timer | undefined
  let seconds: number | undefined
  const cancel = (): void => timer?.cancel()
  return {
    update() {
      const { activeDeadlineSeconds } = work.pod.spec
      if (activeDeadlineSeconds === seconds) return
      seconds = activeDeadlineSeconds
      cancel()
      if (seconds === undefined) return
      timer = clock.after(startedAt + seconds * 1000 - clock.now(), () => {
        if (isAlive()) work.attempt(onExceeded)
        // An unhealthy kubelet does nothing; it checks the deadline again when it recovers.
        else seconds = undefined
      })
    },
    cancel,
  }
}
