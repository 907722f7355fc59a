/**
 * One side of a stream of bytes over a connection of a simulated network, for protocols in which the server sends data without a request. The
 * client sends each chunk as a request, and keeps one request open that the server answers when it has bytes to send.
 */
import { EventEmitter } from 'node:events'
import type { ByteStream } from '#world/twin/stores'

/** Delivers bytes to listeners, and buffers them while the stream is paused. */
export abstract class BytePipe extends EventEmitter implements ByteStream {
  readonly writableNeedDrain = false
  destroyed = false
  writableEnded = false
  #paused: Buffer[] | undefined

  get writable(): boolean {
    return !this.destroyed && !this.writableEnded
  }

  abstract write(bytes: Buffer): void
  abstract destroy(): void
  abstract destroySoon(): void

  pause(): void {
    this.#paused ??= []
  }

  resume(): void {
    const chunks = this.#paused ?? []
    this.#paused = undefined
    for (const chunk of chunks) this.deliver(chunk)
  }

  protected deliver(chunk: Buffer): void {
    if (this.destroyed || chunk.length === 0) return
    if (this.#paused === undefined) this.emit('data', chunk)
    else this.#paused.push(chunk)
  }

  protected end(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}
