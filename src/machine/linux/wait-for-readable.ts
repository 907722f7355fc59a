/** Blocks a thread until descriptors are readable. */
import { libc } from './libc.ts'

const POLLIN = 1
/** A `struct pollfd`. */
const ENTRY_BYTES = 8

/** Blocks the thread until a descriptor is readable or the time has passed; returns the readable ones. */
export const waitForReadable = (fds: readonly number[], milliseconds: number): readonly number[] => {
  const entries = Buffer.alloc(fds.length * ENTRY_BYTES)
  for (const [index, fd] of fds.entries()) {
    entries.writeInt32LE(fd, index * ENTRY_BYTES)
    entries.writeInt16LE(POLLIN, index * ENTRY_BYTES + 4)
  }
  const timeout = Buffer.alloc(16)
  const nanoseconds = Math.max(0, Math.round(milliseconds * 1e6))
  timeout.writeBigInt64LE(BigInt(Math.floor(nanoseconds / 1e9)), 0)
  timeout.writeBigInt64LE(BigInt(nanoseconds % 1e9), 8)
  if (libc.ppoll(entries, fds.length, timeout, null) <= 0) return []
  return fds.filter((_, index) => entries.readInt16LE(index * ENTRY_BYTES + 6) !== 0)
}
