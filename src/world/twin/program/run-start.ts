/** Runs the start steps of a service before it listens, and retries them until a deadline. */
import type { RunningBehaviour } from '#world/twin/behaviour'
import { sleep } from '#world/twin/ports'
import { StartFailure } from './start-failure.ts'
import type { Twin } from './twin.ts'

const START_TIMEOUT_MS = 30_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 1000

/** Logs a repeated failure only once. Rejects with a StartFailure at the deadline. */
export const retryUntil = async (
  deadline: number,
  { host: { time }, log }: Twin,
  work: () => Promise<void>,
): Promise<void> => {
  let pause = FIRST_PAUSE_MS
  let logged = ''
  while (true) {
    try {
      return await work()
    } catch (error) {
      const { message } = error as Error
      if (time.monotonic() + pause > deadline) throw new StartFailure(message)
      if (message !== logged) log('warn', message)
      logged = message
      await sleep(time, pause)
      pause = Math.min(pause * 1.5, MAX_PAUSE_MS)
    }
  }
}

/** The deadline of the start in monotonic time. */
export const startDeadline = ({ host, settings }: Twin): number =>
  host.time.monotonic() + (settings.slice.behaviour.startTimeoutMs ?? START_TIMEOUT_MS)

export const runStart = async (twin: Twin, behaviour: RunningBehaviour): Promise<void> => {
  const deadline = startDeadline(twin)
  for (const index of (twin.settings.slice.behaviour.start ?? []).keys())
    await retryUntil(deadline, twin, () => behaviour.startStep(index))
}
