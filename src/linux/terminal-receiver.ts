/** Waits at a Unix socket for the terminal that an OCI runtime makes: its `--console-socket`. */
import { closeSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '../kit/index.ts'
import { checked, libc } from './libc.ts'
import { openPseudoTerminal, type PseudoTerminal } from './pseudo-terminal.ts'
import { receiveDescriptor } from './receive-descriptor.ts'

const AF_UNIX = 1
const SOCK_STREAM = 1
const SOCK_CLOEXEC = 0o2000000
const SOCK_NONBLOCK = 0o4000
/** With the zero at its end. */
const LONGEST_PATH = 108
/** How often it looks: the terminal comes some 30 ms after the runtime was started. */
const LOOK_MS = 2

export interface TerminalReceiver {
  /** The path of the socket. */
  readonly path: string
  /** Rejects when the receiver is closed before. */
  readonly terminal: Promise<PseudoTerminal>
  /** Gives up waiting, if it still does. */
  close(): void
}

let made = 0

const listenAt = (path: string): number => {
  const address = Buffer.alloc(2 + LONGEST_PATH)
  address.writeUInt16LE(AF_UNIX, 0)
  if (Buffer.byteLength(path) >= LONGEST_PATH)
    throw new Error(`the path is too long for a socket: ${path} has more than ${LONGEST_PATH - 1} bytes`)
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

const isWaiting = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/** The socket lies in `folder` until the terminal has come or the receiver is closed. */
export const createTerminalReceiver = (folder: string, clock: Clock): TerminalReceiver => {
  made += 1
  const path = join(folder, `tty-${process.pid}-${made}`)
  const listener = listenAt(path)
  const { promise, resolve, reject } = Promise.withResolvers<PseudoTerminal>()
  // Whoever closes it does not wait for it.
  promise.catch(() => {})
  let connection: number | undefined
  let timer: Timer | undefined
  let over = false

  const finish = (): void => {
    over = true
    timer?.cancel()
    closeSync(listener)
    if (connection !== undefined) closeSync(connection)
    rmSync(path, { force: true })
  }

  const look = (): void => {
    try {
      connection ??= checked('accept4', libc.accept4(listener, null, null, SOCK_CLOEXEC | SOCK_NONBLOCK))
      const terminal = openPseudoTerminal(receiveDescriptor(connection), clock)
      finish()
      resolve(terminal)
    } catch (error) {
      if (isWaiting(error)) timer = clock.after(LOOK_MS, look)
      else {
        finish()
        reject(error)
      }
    }
  }
  timer = clock.after(LOOK_MS, look)

  return {
    path,
    terminal: promise,
    close() {
      if (over) return
      finish()
      reject(new Error('nobody waits for the terminal any more'))
    },
  }
}
