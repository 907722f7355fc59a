/** The time that a pod may be active on its node at most. */
import type { Timer } from '../../kit/index.ts'
import type { PodWork } from './pod-work.ts'

export interface ActiveDeadline {
  /** Takes over what the pod says of it now. */
  follow(): void
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
    follow() {
      const { activeDeadlineSeconds } = work.pod.spec
      if (activeDeadlineSeconds === seconds) return
      seconds = activeDeadlineSeconds
      cancel()
      if (seconds === undefined) return
      timer = clock.after(startedAt + seconds * 1000 - clock.now(), () => {
        if (isAlive()) work.attempt(onExceeded)
        // A silent kubelet does nothing; it looks again when it is back.
        else seconds = undefined
      })
    },
    cancel,
  }
}
