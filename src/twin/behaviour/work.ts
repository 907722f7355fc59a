/** What a request costs of the machine, really spent. */
import type { Work } from '../../spec/index.ts'

/** Between two looks at the clock; a few microseconds. */
const ROUNDS = 2000

/** Where the clock of the processor stands still, the clock on the wall ends it. */
const PATIENCE = 100

const spent = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1000
}

/** Keeps this thread busy for so long, by the time it gets of a core: with less of one it takes longer. */
const burn = (ms: number): void => {
  const began = process.threadCpuUsage()
  const until = performance.now() + ms * PATIENCE
  let value = 1
  do {
    for (let round = 0; round < ROUNDS; round += 1) value = Math.imul(value ^ round, 0x9e3779b1)
  } while (spent(began) < ms && performance.now() < until)
}

/** Kept here, because what nobody refers to any more may be taken away before the answer is sent. */
const held = new Set<Buffer>()

/** What it gives lets go of the memory. */
export const doWork = ({ cpuMs = 0, memoryKiB = 0 }: Work): (() => void) => {
  if (cpuMs > 0) burn(cpuMs)
  if (memoryKiB <= 0) return () => {}
  // Filled, because memory that nobody has written to is none.
  const memory = Buffer.alloc(memoryKiB * 1024, 1)
  held.add(memory)
  return () => held.delete(memory)
}
