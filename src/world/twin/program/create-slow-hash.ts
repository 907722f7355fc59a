/** The password hash of a service, which costs CPU time of its host. */
import type { ProgramCpu } from '#spec'
import { slowHash } from '#world/expressions'

/** The CPU time of a hash. */
const HASH_MS = 10

const MAX_KNOWN = 1000

/** Hashes by their text. Shared by all programs of this process, because computing one takes milliseconds. */
const known = new Map<string, string>()

const computeHash = (text: string): string => {
  const existing = known.get(text)
  if (existing !== undefined) return existing
  const hash = slowHash(text)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, hash)
  return hash
}

interface SlowHash {
  slowHash(text: string): string
  /** Returns the CPU time that hashes have started to use since the last call, if any. */
  takePendingWork(): Promise<void> | undefined
}

/** Expressions are evaluated without waiting, so the caller waits for the CPU time afterwards. */
export const createSlowHash = (cpu: ProgramCpu): SlowHash => {
  let pending: Promise<void> | undefined
  return {
    slowHash: (text) => {
      const usedBefore = cpu.usedMs()
      const hash = computeHash(text)
      // In a real process, the computation itself has used CPU time.
      const missingMs = HASH_MS - (cpu.usedMs() - usedBefore)
      if (missingMs > 0) pending = cpu.use(missingMs)
      return hash
    },
    takePendingWork: () => {
      const work = pending
      pending = undefined
      return work
    },
  }
}
