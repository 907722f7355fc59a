/** Connects to a Unix socket without the event loop. */
import { closeSync } from 'node:fs'
import { checked, libc } from '../libc.ts'

const AF_UNIX = 1
const SOCK_STREAM = 1
const SOCK_CLOEXEC = 0o2000000
const MAX_PATH_BYTES = 107

/** Returns a blocking descriptor. */
export const connectToSocket = (path: string): number => {
  const bytes = Buffer.from(path)
  if (bytes.length > MAX_PATH_BYTES) throw new Error(`The path of the socket is too long: ${path}`)
  const address = Buffer.alloc(2 + MAX_PATH_BYTES + 1)
  address.writeUInt16LE(AF_UNIX, 0)
  bytes.copy(address, 2)
  const descriptor = checked('socket', libc.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
  try {
    checked('connect', libc.connect(descriptor, address, address.length))
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}
