/** Reads the output of containers so that none keeps the others waiting. */
import type { Readable } from 'node:stream'
import type { Clock } from '../kit/index.ts'

/**
 * One chunk in each turn of the event loop: a pipe that is filled as fast as it is read would else be read for
 * hundreds of milliseconds on end.
 */
export const readFairly = (source: Readable, clock: Clock, onChunk: (chunk: Uint8Array) => void): void => {
  source.on('data', (chunk: Buffer) => {
    source.pause()
    clock.defer(() => source.resume())
    onChunk(chunk)
  })
}
