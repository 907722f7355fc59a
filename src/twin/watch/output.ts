/** Lines to a descriptor that never make the process wait and never end it: what cannot be written is dropped. */
import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs'

export interface Output {
  /** With its line break. */
  write(line: string): void
  /** As much of what is still here as goes without waiting. */
  flush(): void
  /** Lines lost because nobody read. */
  readonly dropped: number
}

/** Characters kept while nobody reads. */
const MOST_WAITING = 1024 * 1024
const RETRY_MS = 20

/**
 * A descriptor that never makes anybody wait. Files do not; of a pipe it is an opening of our own, as others who share
 * it keep theirs. Nothing where there is no such: sockets, and pipes of another user.
 */
const openPatient = (descriptor: number): number | undefined => {
  try {
    const kind = fstatSync(descriptor)
    if (kind.isFile()) return descriptor
    if (!kind.isFIFO()) return undefined
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

export const createOutput = (descriptor = 1): Output => {
  const own = openPatient(descriptor)
  let waiting = ''
  /** Of a line that the other side took only in part. */
  let rest: Buffer = Buffer.alloc(0)
  let dropped = 0
  let busy = false
  let broken = false

  const breakOff = (): void => {
    broken = true
    waiting = ''
    rest = Buffer.alloc(0)
    if (own !== undefined && own !== descriptor) closeSync(own)
  }
  const later = (): void => {
    busy = true
    setTimeout(() => {
      busy = false
      if (!broken) flushOwn(own!)
    }, RETRY_MS).unref()
  }
  const flushOwn = (to: number): void => {
    const bytes = rest.length === 0 ? Buffer.from(waiting) : Buffer.concat([rest, Buffer.from(waiting)])
    waiting = ''
    rest = bytes
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(to, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') later()
      else breakOff()
    }
  }
  /** Through a thread, which may wait as long as it likes. */
  const flushShared = (): void => {
    const bytes = Buffer.from(waiting)
    waiting = ''
    busy = true
    write(descriptor, bytes, (error) => {
      busy = false
      if (error !== null) broken = true
      else if (waiting !== '') flushShared()
    })
  }
  /** For the end of a process, which no thread outlives. */
  const flushNow = (): void => {
    try {
      writeSync(descriptor, waiting)
    } catch {
      broken = true
    }
    waiting = ''
  }
  const flush = (): void => {
    if (broken || busy || waiting === '') return
    if (own !== undefined) flushOwn(own)
    else flushShared()
  }
  return {
    write: (line) => {
      if (broken || waiting.length + rest.length > MOST_WAITING) {
        dropped += 1
        return
      }
      waiting += line
      flush()
    },
    flush: () => {
      if (broken) return
      if (own !== undefined) flushOwn(own)
      else flushNow()
    },
    get dropped() {
      return dropped
    },
  }
}
