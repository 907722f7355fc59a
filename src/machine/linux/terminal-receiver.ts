/** Receives the terminal of an OCI runtime over a Unix socket (`--console-socket`). */
import { closeSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '#kit'
import { checked, libc } from './libc.ts'
import { openPseudoTerminal, type PseudoTerminal } from './pseudo-terminal.ts'
import { receiveDescriptor } from './receive-descriptor.ts'

const AF_UNIX = 1
const SOCK_STREAM = 1
const SOCK_CLOEXEC = 0o2000000
const SOCK_NONBLOCK = 0o4000
/** Including the terminating zero. */
const MAX_PATH_BYTES = 108
/** The terminal arrives about 30 ms after the runtime starts. */
const POLL_MS = 2

export interface TerminalReceiver {
  /** The path of the socket. */
  readonly path: string
  /** Rejects if the receiver is closed first. */
  readonly terminal: Promise<PseudoTerminal>
  /** Stops waiting. */
  close(): void
}

let created = 0

const listenAt = (path: string): number => {
  const address = Buffer.alloc(2 + MAX_PATH_BYTES)
  address.writeUInt16LE(AF_UNIX, 0)
  if (Buffer.byteLength(path) >= MAX_PATH_BYTES)
    throw new Error(`the socket path ${path} is too long: at most ${MAX_PATH_BYTES - 1} bytes are allowed`)
  address.write(path, 2)
  const fd = checked('socket', libc.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
  try {
    checked('bind', libc.bind(fd, address, address.length))
    checked('listen', libc.listen(fd, 1))
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

const hasNotArrived = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/** The socket exists in `folder` until the terminal has arrived or the receiver is closed. */
export const createTerminalReceiver = (folder: string, clock: Clock): TerminalReceiver => {
  created += 1
  const path = join(folder, `tty-${process.pid}-${created}`)
  const listener = listenAt(path)
  const { promise, resolve, reject } = Promise.withResolvers<PseudoTerminal>()
  // A caller that closes the receiver does not await the terminal.
  promise.catch(() => {})
  let connection: number | undefined
  let timer: Timer | undefined
  let isClosed = false

  const cleanUp = (): void => {
    isClosed = true
    timer?.cancel()
    closeSync(listener)
    if (connection !== undefined) closeSync(connection)
    rmSync(path, { force: true })
  }

  const poll = (): void => {
    try {
      connection ??= checked('accept4', libc.accept4(listener, null, null, SOCK_CLOEXEC | SOCK_NONBLOCK))
      const terminal = openPseudoTerminal(receiveDescriptor(connection), clock)
      cleanUp()
      resolve(terminal)
    } catch (error) {
      if (hasNotArrived(error)) timer = clock.after(POLL_MS, poll)
      else {
        cleanUp()
        reject(error)
      }
    }
  }
  timer = clock.after(POLL_MS, poll)

  return {
    path,
    terminal: promise,
    close() {
      if (isClosed) return
      cleanUp()
      reject(new Error('the terminal receiver was closed'))
    },
  }
}
