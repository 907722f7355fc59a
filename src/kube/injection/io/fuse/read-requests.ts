/** Takes the kernel's requests from `/dev/fuse`, quickly while they come one after the other. */
import { constants } from 'node:os'
import type { Clock } from '../../../../kit/index.ts'
import { isReadyWithin, readNow, whenReady } from '../../../../linux/index.ts'
import { IN_HEADER, MAX_WRITE } from './protocol.ts'

const { EAGAIN, EINTR, ENODEV, ENOENT } = constants.errno
/** How long the thread stays for the next request of a busy caller: less than handing over to another costs. */
const LINGER_MS = 1
/** After so many in a row, timers and messages have their turn. */
const IN_A_ROW = 64

/**
 * Resolves when the mount is gone. The bytes are overwritten by the next request. `mayLinger` tells whether the
 * thread has nothing else to wait for.
 */
export const readRequests = (
  fd: number,
  clock: Clock,
  take: (bytes: Buffer) => void,
  mayLinger: () => boolean,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(MAX_WRITE + 2 * 4096)

    /** False when there is none for now; throws when there will be none. */
    const takeOne = (): boolean => {
      const count = readNow(fd, buffer)
      if (count >= IN_HEADER) take(buffer.subarray(0, count))
      else if (count === -EAGAIN) return false
      // A request that was taken back, or a signal: there will be others.
      else if (count !== -ENOENT && count !== -EINTR)
        throw Object.assign(new Error('read'), { errno: -count })
      return true
    }

    const turn = (): void => {
      try {
        let taken = 0
        while (taken < IN_A_ROW && (takeOne() || (taken > 0 && mayLinger() && isReadyWithin(fd, LINGER_MS))))
          taken += 1
        if (taken >= IN_A_ROW) clock.defer(turn)
        else whenReady(fd, turn)
      } catch (error) {
        if ((error as { errno?: number }).errno === ENODEV) resolve()
        else reject(error)
      }
    }
    turn()
  })
