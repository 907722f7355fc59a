/** What a service does before it listens, again and again until it succeeds or its patience ends. */
import type { RunningBehaviour } from '../behaviour/index.ts'
import type { Log } from '../ports/index.ts'
import { StartFailure } from './start-failure.ts'
import type { Twin } from './twin.ts'

const PATIENCE_MS = 30_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Tells of each failure once. Rejects with a StartFailure when the time is over. */
export const tryUntil = async (until: number, log: Log, work: () => Promise<void>): Promise<void> => {
  let pause = FIRST_PAUSE_MS
  let told = ''
  while (true) {
    try {
      return await work()
    } catch (error) {
      const { message } = error as Error
      if (performance.now() + pause > until) throw new StartFailure(message)
      if (message !== told) log('warn', message)
      told = message
      await sleep(pause)
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)
    }
  }
}

/** Until when the start may take, by `performance.now()`. */
export const patienceEnd = ({ settings }: Twin): number =>
  performance.now() + (settings.slice.behaviour.startPatienceMs ?? PATIENCE_MS)

export const runStart = async (twin: Twin, behaviour: RunningBehaviour): Promise<void> => {
  const until = patienceEnd(twin)
  for (const place of (twin.settings.slice.behaviour.start ?? []).keys())
    await tryUntil(until, twin.log, () => behaviour.startStep(place))
}
