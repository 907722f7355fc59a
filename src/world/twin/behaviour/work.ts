/** Spends the CPU time and memory that a request costs. */
import type { Work } from '#spec'

/** Iterations between two reads of the clock; a few microseconds. */
const ITERATIONS_PER_CLOCK_READ = 2000

/** Bounds the wall-clock time, in case the CPU clock does not advance. */
const MAX_WALL_TIME_FACTOR = 100

const readCpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1000
}

/** Keeps this thread busy for `ms` of CPU time, which takes longer under a CPU limit. */
const burnCpu = (ms: number): void => {
  const cpuAtStart = process.threadCpuUsage()
  const wallDeadline = performance.now() + ms * MAX_WALL_TIME_FACTOR
  let value = 1
  do {
    for (let round = 0; round < ITERATIONS_PER_CLOCK_READ; round += 1)
      value = Math.imul(value ^ round, 0x9e3779b1)
  } while (readCpuMs(cpuAtStart) < ms && performance.now() < wallDeadline)
}

/** Keeps a reference, so that the garbage collector does not free the memory before the response is sent. */
const allocated = new Set<Buffer>()

/** Returns a function that releases the memory. */
export const doWork = ({ cpuMs = 0, memoryKiB = 0 }: Work): (() => void) => {
  if (cpuMs > 0) burnCpu(cpuMs)
  if (memoryKiB <= 0) return () => {}
  // Filled, because the kernel allocates pages only when they are written.
  const memory = Buffer.alloc(memoryKiB * 1024, 1)
  allocated.add(memory)
  return () => allocated.delete(memory)
}
