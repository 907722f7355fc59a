/** Polls non-blocking descriptors that the event loop does not support, such as devices. */
import koffi from 'koffi'
import { bind } from './libc.ts'

type Poll = (entries: Uint8Array, count: number, timeoutMs: number) => number
type AsyncPoll = (entries: Uint8Array, count: number, timeoutMs: number, done: () => void) => void

const read = bind<(fd: number, bytes: Uint8Array, length: number) => number>(
  'long read(int fd, void* bytes, size_t length)',
)
const poll = bind<Poll & { async: AsyncPoll }>('int poll(void* entries, unsigned long count, int timeout)')

const POLLIN = 1

const entryFor = (fd: number): Buffer => {
  const entry = Buffer.alloc(8)
  entry.writeInt32LE(fd, 0)
  entry.writeInt16LE(POLLIN, 4)
  return entry
}

/** Returns the number of bytes read or the negative errno, without the cost of an exception. */
export const readNow = (fd: number, bytes: Uint8Array): number => {
  const count = read(fd, bytes, bytes.length)
  return count >= 0 ? count : -koffi.errno()
}

/** Blocks this thread until the descriptor is readable or the time has passed; returns whether it is readable. */
export const isReadyWithin = (fd: number, milliseconds: number): boolean =>
  poll(entryFor(fd), 1, milliseconds) > 0

/** Calls `done` when the descriptor is readable. Occupies a thread of Node's pool while it waits. */
export const whenReady = (fd: number, done: () => void): void => {
  const entry = entryFor(fd)
  poll.async(entry, 1, -1, () => {
    // The kernel writes to `entry`, so it must not be garbage-collected earlier.
    if (entry.readInt16LE(6) !== 0) done()
    else whenReady(fd, done)
  })
}
