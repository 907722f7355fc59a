/** The bytes of the waiting messages as one stream, whose segments messages share. */
import { SEGMENT_BYTES } from '../constants.ts'
import type { Sender } from './sender.ts'

/** The unsent bytes of all waiting messages, which share segments, as far as the window allows. */
export const nextBytes = ({ queue, window }: Sender): number => {
  const max = window * SEGMENT_BYTES
  let bytes = 0
  for (const flight of queue) {
    bytes += flight.left
    if (bytes >= max) return max
  }
  return bytes
}

/** Removes bytes that have been sent from the front of the stream. */
export const takeBytes = ({ queue }: Sender, bytes: number, arrivesAt: number): void => {
  let rest = bytes
  for (const flight of queue) {
    const taken = Math.min(flight.left, rest)
    flight.left -= taken
    if (taken > 0) flight.arrivesAt = Math.max(flight.arrivesAt, arrivesAt)
    rest -= taken
    if (rest === 0) return
  }
}
