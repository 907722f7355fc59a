/** A message in transit from one program to another. */
import type { Timer } from '#kit'
import type { ProgramMessage } from '#spec'
import { HEADER_BYTES, SEGMENT_BYTES } from '../constants.ts'

/** A request that waits for its answer. */
export interface Exchange {
  resolve(answer: ProgramMessage): void
  reject(error: Error): void
}

/** A request or an answer; without an exchange, the end of the connection. */
export interface Flight {
  readonly exchange: Exchange | undefined
  readonly message: ProgramMessage | undefined
  readonly bytes: number
  /** Bytes that have not been sent successfully. The end of a connection counts as one byte. */
  left: number
  arrivesAt: number
  timer: Timer | undefined
}

export const countSegments = (bytes: number): number =>
  bytes <= SEGMENT_BYTES ? 1 : Math.ceil(bytes / SEGMENT_BYTES)

/** The size of a message on the network. */
export const wireBytes = (bytes: number): number => bytes + HEADER_BYTES * countSegments(bytes)

export const createFlight = (bytes: number, exchange?: Exchange, message?: ProgramMessage): Flight => ({
  exchange,
  message,
  bytes,
  left: bytes === 0 ? 1 : bytes,
  arrivesAt: 0,
  timer: undefined,
})
