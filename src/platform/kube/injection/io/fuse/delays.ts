/** Delays calls, and releases those whose caller is being killed. */
import { readFileSync } from 'node:fs'
import type { Clock, Timer } from '#kit'
import type { CallEffects } from '#platform/kube/io-effects'
import type { FuseRequest } from './protocol.ts'

const POLL_MS = 50
const SIGKILL_BIT = 0x100n

/** Whether the thread has a pending SIGKILL or has ended. The working folder is `/proc`. */
const isDying = (thread: number): boolean => {
  try {
    const status = readFileSync(`${thread}/status`, 'latin1')
    return [...status.matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$/gm)].some(
      ([, mask]) => (BigInt(`0x${mask}`) & SIGKILL_BIT) !== 0n,
    )
  } catch {
    return true
  }
}

interface DelayedCall {
  thread: number
  delayedBy: readonly number[]
  timer: Timer
  watch?: Timer
  /** Called with false if the caller is being killed. */
  proceed: (waited: boolean) => void
}

export const createDelays = (clock: Clock) => {
  const waiting = new Map<number, DelayedCall>()

  const end = (unique: number, waited: boolean): void => {
    const call = waiting.get(unique)
    if (call === undefined) return
    waiting.delete(unique)
    call.timer.cancel()
    call.watch?.cancel()
    call.proceed(waited)
  }

  /**
   * Handles a signal for the caller. The kernel reports it only once, and a killed process ends only when its call is
   * answered: without this, a pod could not be deleted before the delay has passed.
   */
  const interrupt = (unique: number): void => {
    const call = waiting.get(unique)
    if (call === undefined) return
    if (isDying(call.thread)) end(unique, false)
    else call.watch = clock.after(POLL_MS, () => interrupt(unique))
  }

  return {
    hold(
      { unique, pid }: Pick<FuseRequest, 'unique' | 'pid'>,
      { delayMs, delayedBy }: Pick<CallEffects, 'delayMs' | 'delayedBy'>,
      proceed: (waited: boolean) => void,
    ): void {
      const timer = clock.after(delayMs, () => end(unique, true))
      waiting.set(unique, { thread: pid, delayedBy, timer, proceed })
    },
    interrupt,
    /** Releases the calls that this rule delays; all calls if omitted. */
    release(rule?: number): void {
      for (const [unique, { delayedBy }] of [...waiting])
        if (rule === undefined || delayedBy.includes(rule)) end(unique, true)
    },
  }
}
