/** Runs asynchronous code under a virtual clock. */
import type { VirtualClock } from './virtual-clock.ts'

export const runVirtually = <T>(clock: VirtualClock, work: () => Promise<T>): Promise<T> => clock.run(work)
