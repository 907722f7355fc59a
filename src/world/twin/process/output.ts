/**
 * Writes lines to a descriptor without blocking or ending the process; lines that cannot be written are
 * dropped.
 */
import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs'

export interface Output {
  /** The line includes its line break. */
  write(line: string): void
  /** Writes pending output before the process exits; blocks if the descriptor has no non-blocking copy. */
  flush(): void
  /** The number of dropped lines. */
  readonly dropped: number
}

/** Maximum number of buffered characters while the reader is slow. */
const MAX_PENDING_CHARACTERS = 1024 * 1024
const RETRY_MS = 20

/**
 * Opens a non-blocking descriptor. Files never block; a pipe is reopened, because the flag would affect other
 * processes that share the descriptor. Returns undefined for sockets and for pipes of another user.
 */
const openNonBlocking = (descriptor: number): number | undefined => {
  try {
    const stats = fstatSync(descriptor)
    if (stats.isFile()) return descriptor
    if (!stats.isFIFO()) return undefined
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

export const createOutput = (descriptor = 1): Output => {
  const nonBlocking = openNonBlocking(descriptor)
  let pending = ''
  /** The rest of a partially written line. */
  let rest: Buffer = Buffer.alloc(0)
  let dropped = 0
  let busy = false
  let broken = false

  const abandon = (): void => {
    broken = true
    pending = ''
    rest = Buffer.alloc(0)
    if (nonBlocking !== undefined && nonBlocking !== descriptor) closeSync(nonBlocking)
  }
  const scheduleRetry = (): void => {
    busy = true
    setTimeout(() => {
      busy = false
      if (!broken) flushNonBlocking(nonBlocking!)
    }, RETRY_MS).unref()
  }
  const flushNonBlocking = (to: number): void => {
    const bytes = rest.length === 0 ? Buffer.from(pending) : Buffer.concat([rest, Buffer.from(pending)])
    pending = ''
    rest = bytes
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(to, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') scheduleRetry()
      else abandon()
    }
  }
  /** Writes in the thread pool, because the write can block. */
  const flushShared = (): void => {
    const bytes = Buffer.from(pending)
    pending = ''
    busy = true
    write(descriptor, bytes, (error) => {
      busy = false
      if (error !== null) broken = true
      else if (pending !== '') flushShared()
    })
  }
  /** Writes synchronously at the end of the process, when the thread pool no longer runs. */
  const flushNow = (): void => {
    try {
      writeSync(descriptor, pending)
    } catch {
      broken = true
    }
    pending = ''
  }
  const flush = (): void => {
    if (broken || busy || pending === '') return
    if (nonBlocking !== undefined) flushNonBlocking(nonBlocking)
    else flushShared()
  }
  return {
    write: (line) => {
      if (broken || pending.length + rest.length > MAX_PENDING_CHARACTERS) {
        dropped += 1
        return
      }
      pending += line
      flush()
    },
    flush: () => {
      if (broken) return
      if (nonBlocking !== undefined) flushNonBlocking(nonBlocking)
      else flushNow()
    },
    get dropped() {
      return dropped
    },
  }
}
