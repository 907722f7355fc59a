/**
 * Real pipes. What Node gives a child for `stdio: 'pipe'` is a socket, which programs cannot open again as
 * `/dev/stdout`.
 */
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { checked, libc } from './libc.ts'

const O_CLOEXEC = 0o2000000

export interface Pipe {
  /** Descriptors: close the end that was given to a child once it is spawned. */
  readonly readEnd: number
  readonly writeEnd: number
}

export const createPipe = (): Pipe => {
  const ends: [number, number] = [0, 0]
  checked('pipe2', libc.pipe2(ends, O_CLOEXEC))
  return { readEnd: ends[0], writeEnd: ends[1] }
}

/** The stream owns the descriptor from now on. */
export const readFrom = (readEnd: number): Readable =>
  new Socket({ fd: readEnd, readable: true, writable: false })

/** The stream owns the descriptor from now on. */
export const writeTo = (writeEnd: number): Writable =>
  new Socket({ fd: writeEnd, readable: false, writable: true })
