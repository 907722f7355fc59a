/** Uses the CPU time of this process. */
import type { ProgramCpu } from '#spec'

/** Iterations between two reads of the clock; a few microseconds. */
const ITERATIONS_PER_CLOCK_READ = 2000

/** Bounds the wall-clock time, in case the CPU clock does not advance. */
const MAX_WALL_TIME_FACTOR = 100

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** Keeps this thread busy for `ms` of CPU time, which takes longer under a CPU limit. */
const burnCpu = (ms: number): void => {
  const cpuAtStart = process.threadCpuUsage()
  const wallDeadline = performance.now() + ms * MAX_WALL_TIME_FACTOR
  let value = 1
  do {
    for (let round = 0; round < ITERATIONS_PER_CLOCK_READ; round += 1)
      value = Math.imul(value ^ round, 0x9e3779b1)
  } while (toMs(process.threadCpuUsage(cpuAtStart)) < ms && performance.now() < wallDeadline)
}

/** `use` blocks the event loop, as the work of a request does. */
export const processCpu: ProgramCpu = {
  use: (ms) => {
    if (ms > 0) burnCpu(ms)
    return Promise.resolve()
  },
  usedMs: () => toMs(process.cpuUsage()),
}
