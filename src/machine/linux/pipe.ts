/** Creates pipes. Node's `stdio: 'pipe'` is a socket, which programs cannot reopen as `/dev/stdout`. */
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { checked, libc } from './libc.ts'

const O_CLOEXEC = 0o2000000

export interface Pipe {
  /** Descriptors. Close the child's end after the child is spawned. */
  readonly readEnd: number
  readonly writeEnd: number
}

export const createPipe = (): Pipe => {
  const ends: [number, number] = [0, 0]
  checked('pipe2', libc.pipe2(ends, O_CLOEXEC))
  return { readEnd: ends[0], writeEnd: ends[1] }
}

const F_SETPIPE_SZ = 1031
/** The default limit for users other than root. */
const LARGE_PIPE_BYTES = 1 << 20

/** Enlarges a pipe, so that a long message fits into it. Does nothing if the kernel refuses. */
export const enlargePipe = ({ writeEnd }: Pipe): void => {
  libc.fcntl(writeEnd, F_SETPIPE_SZ, LARGE_PIPE_BYTES)
}

/** The stream takes ownership of the descriptor. */
export const readFrom = (readEnd: number): Readable =>
  new Socket({ fd: readEnd, readable: true, writable: false })

/** The stream takes ownership of the descriptor. */
export const writeTo = (writeEnd: number): Writable =>
  new Socket({ fd: writeEnd, readable: false, writable: true })
