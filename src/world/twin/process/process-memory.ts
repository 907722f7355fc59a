/** Allocates memory in this process. */
import { freemem } from 'node:os'
import type { ProgramMemory } from '#spec'

/** Protects the other processes on the machine if the memory limit exceeds the free memory. */
const MIN_FREE_BYTES = 512 * 1024 * 1024

/** The value is cached, because reading it takes as long as a short request. */
const FREE_MEMORY_VALID_MS = 50

/** Node.js reports a larger value in a process without a limit. */
const MAX_LIMIT_BYTES = Number.MAX_SAFE_INTEGER

export const createProcessMemory = (): ProgramMemory => {
  /** Keeps references, so that the garbage collector does not free the memory. */
  const allocated = new Map<number, Buffer>()
  let nextId = 0
  let readAt = Number.NEGATIVE_INFINITY
  let hasFree = true

  const hasFreeMemory = (): boolean => {
    if (performance.now() - readAt >= FREE_MEMORY_VALID_MS) {
      hasFree = freemem() > MIN_FREE_BYTES
      readAt = performance.now()
    }
    return hasFree
  }

  return {
    get limitBytes() {
      const limit = process.constrainedMemory()
      return limit > MAX_LIMIT_BYTES ? 0 : limit
    },
    usedBytes: () => process.memoryUsage.rss(),
    allocate: (bytes) => {
      if (!hasFreeMemory()) return undefined
      // Filled, because the kernel allocates pages only when they are written.
      const id = nextId++
      allocated.set(id, Buffer.alloc(Math.ceil(bytes), 1))
      return () => void allocated.delete(id)
    },
  }
}
