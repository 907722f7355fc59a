/** The durations of Ansible's own work, and the limits of one attempt. */
import type { Clock, Timer } from '#kit'

/**
 * Measured with ansible-core 2.14 on two idle cores: a play with one `debug` takes 0.52 s and each further one 0.014 s, a `command`
 * 0.16 s, a Kubernetes module 0.50 s. Gathering facts adds 0.8 s.
 */
export const PACE = {
  /** From the start of ansible-playbook to its first task. */
  startMs: 445,
  /** From the last task to the end of the process. */
  endMs: 60,
  /** A task that runs in Ansible's own process, and the part of every other task outside its module. */
  taskMs: 14,
  /** A module in a separate process. */
  moduleMs: 145,
  /** The import of the Kubernetes client and its discovery, before its first request. */
  kubernetesMs: 335,
  /** One request to the API server. */
  requestMs: 6,
  factsMs: 785,
} as const

/** Thrown if the attempt is stopped from outside, like a killed process. */
export class AttemptStopped extends Error {}

export interface Pace {
  now(): number
  /** Rejects with AttemptStopped if the attempt ends during the wait. */
  sleep(milliseconds: number): Promise<void>
  /** Aborts when the attempt ends; for calls that wait for other events. */
  readonly signal: AbortSignal
  /** Settles like the task, or rejects with AttemptStopped if the attempt ends first. */
  race<T>(task: Promise<T>): Promise<T>
  close(): void
}

export const createPace = (
  clock: Clock,
  { timeoutMs, signal }: { timeoutMs: number | undefined; signal: AbortSignal | undefined },
): Pace => {
  const controller = new AbortController()
  const stop = (reason: string): void => controller.abort(new AttemptStopped(reason))
  const onAbort = (): void => stop('the episode ran out of time')
  let timer: Timer | undefined
  if (timeoutMs !== undefined)
    timer = clock.after(timeoutMs, () => stop(`it took longer than ${timeoutMs / 1000} s`))
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()

  const race = <T>(task: Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const abort = (): void => reject(controller.signal.reason)
      if (controller.signal.aborted) return abort()
      controller.signal.addEventListener('abort', abort, { once: true })
      task
        .then(resolve, (error: unknown) =>
          reject(controller.signal.aborted ? controller.signal.reason : error),
        )
        .finally(() => controller.signal.removeEventListener('abort', abort))
    })

  return {
    now: () => clock.now(),
    signal: controller.signal,
    race,
    sleep: (milliseconds) =>
      race(
        new Promise((resolve) => {
          clock.after(milliseconds, resolve)
        }),
      ),
    close() {
      timer?.cancel()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
