/** Runs the start steps of a service before it listens, and retries them until a deadline. */
import type { RunningBehaviour } from '#world/twin/behaviour'
import type { Log } from '#world/twin/ports'
import { StartFailure } from './start-failure.ts'
import type { Twin } from './twin.ts'

const START_TIMEOUT_MS = 30_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 1000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Logs a repeated failure only once. Rejects with a StartFailure at the deadline. */
export const retryUntil = async (deadline: number, log: Log, work: () => Promise<void>): Promise<void> => {
  let pause = FIRST_PAUSE_MS
  let logged = ''
  while (true) {
    try {
      return await work()
    } catch (error) {
      const { message } = error as Error
      if (performance.now() + pause > deadline) throw new StartFailure(message)
      if (message !== logged) log('warn', message)
      logged = message
      await sleep(pause)
      pause = Math.min(pause * 1.5, MAX_PAUSE_MS)
    }
  }
}

/** The deadline of the start, in the time of `performance.now()`. */
export const startDeadline = ({ settings }: Twin): number =>
  performance.now() + (settings.slice.behaviour.startTimeoutMs ?? START_TIMEOUT_MS)

export const runStart = async (twin: Twin, behaviour: RunningBehaviour): Promise<void> => {
  const deadline = startDeadline(twin)
  for (const index of (twin.settings.slice.behaviour.start ?? []).keys())
    await retryUntil(deadline, twin.log, () => behaviour.startStep(index))
}
