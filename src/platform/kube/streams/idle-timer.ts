/** Calls back when a connection has been idle for four hours, as in the kubelet. */
import type { Clock, Timer } from '#kit'

export interface IdleTimer {
  touch(): void
  stop(): void
}

/** The kubelet's default streaming idle timeout. */
const IDLE_TIMEOUT_MS = 4 * 60 * 60 * 1000

export const createIdleTimer = (clock: Clock, onIdle: () => void): IdleTimer => {
  let lastActivity = clock.now()
  let timer: Timer
  const arm = (): void => {
    timer = clock.after(lastActivity + IDLE_TIMEOUT_MS - clock.now(), () => {
      if (clock.now() - lastActivity >= IDLE_TIMEOUT_MS) onIdle()
      else arm()
    })
  }
  arm()
  return {
    touch() {
      lastActivity = clock.now()
    },
    stop: () => timer.cancel(),
  }
}
