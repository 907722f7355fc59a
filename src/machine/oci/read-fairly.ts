/** Reads the output of containers without starving others. */
import type { Readable } from 'node:stream'
import type { Clock } from '#kit'

/**
 * Reads one chunk per turn of the event loop. Otherwise a pipe that is filled as fast as it is read would block the loop
 * for hundreds of milliseconds.
 */
export const readFairly = (source: Readable, clock: Clock, onChunk: (chunk: Uint8Array) => void): void => {
  source.on('data', (chunk: Buffer) => {
    source.pause()
    clock.defer(() => source.resume())
    onChunk(chunk)
  })
}
