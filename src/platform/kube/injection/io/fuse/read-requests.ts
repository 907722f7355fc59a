/** Reads the kernel's requests from `/dev/fuse`, with low latency for consecutive requests. */
import { constants } from 'node:os'
import type { Clock } from '#kit'
import { isReadyWithin, readNow, whenReady } from '#machine/linux'
import { IN_HEADER, MAX_WRITE_BYTES } from './protocol.ts'

const { EAGAIN, EINTR, ENODEV, ENOENT } = constants.errno
/** How long the thread waits for the next request. Waiting is cheaper than a wake-up by another thread. */
const LINGER_MS = 1
/** Maximum number of requests per turn, so that timers and messages are not delayed. */
const MAX_PER_TURN = 64

/**
 * Resolves when the mount is removed. The bytes are overwritten by the next request. `mayLinger` returns whether the
 * thread has no other work to wait for.
 */
export const readRequests = (
  fd: number,
  clock: Clock,
  onRequest: (bytes: Buffer) => void,
  mayLinger: () => boolean,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(MAX_WRITE_BYTES + 2 * 4096)

    /** Returns false if no request is pending; throws if the mount is removed. */
    const readRequest = (): boolean => {
      const count = readNow(fd, buffer)
      if (count >= IN_HEADER) onRequest(buffer.subarray(0, count))
      else if (count === -EAGAIN) return false
      // The request was aborted, or a signal interrupted the read: the next read continues.
      else if (count !== -ENOENT && count !== -EINTR)
        throw Object.assign(new Error('read'), { errno: -count })
      return true
    }

    const readPending = (): void => {
      try {
        let handled = 0
        while (
          handled < MAX_PER_TURN &&
          (readRequest() || (handled > 0 && mayLinger() && isReadyWithin(fd, LINGER_MS)))
        )
          handled += 1
        if (handled >= MAX_PER_TURN) clock.defer(readPending)
        else whenReady(fd, readPending)
      } catch (error) {
        if ((error as { errno?: number }).errno === ENODEV) resolve()
        else reject(error)
      }
    }
    readPending()
  })
