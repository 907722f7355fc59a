/** The password hash of a service, which costs CPU time of its host. */
import type { ProgramCpu } from '#spec'
import { slowHash } from '#world/expressions'

/** The CPU time of a hash where it is modelled; measured on a core with instructions for SHA-256. */
const HASH_MS = 3.5

const MAX_KNOWN = 1000

/** Hashes by their text, for hosts whose CPU time is modelled: computing one takes milliseconds of real time. */
const known = new Map<string, string>()

const remember = (text: string, hash: string): void => {
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, hash)
}

interface SlowHash {
  slowHash(text: string): string
  /** Returns the CPU time that hashes have started to use since the last call, if any. */
  takePendingWork(): Promise<void> | undefined
}

/** Expressions are evaluated without waiting, so the caller waits for modelled CPU time afterwards. */
export const createSlowHash = (cpu: ProgramCpu): SlowHash => {
  let pending: Promise<void> | undefined
  return {
    slowHash: (text) => {
      const usedBefore = cpu.usedMs()
      const hash = known.get(text) ?? slowHash(text)
      // In a real process, the computation itself has used CPU time.
      if (cpu.usedMs() === usedBefore) {
        remember(text, hash)
        pending = cpu.use(HASH_MS)
      }
      return hash
    },
    takePendingWork: () => {
      const work = pending
      pending = undefined
      return work
    },
  }
}
