/**
 * The pace of a conversation: a server works off one thing after another, hears no more while there is something left to
 * do, and does nothing more for a client that does not read its answers. So nobody makes it hoard.
 */
import type { Socket } from 'node:net'

/** Resolves when the client has read what was written, or is gone. */
export const isHeard = (socket: Socket): Promise<void> => {
  if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go)
      socket.off('close', go)
      resolve()
    }
    socket.once('drain', go)
    socket.once('close', go)
  })
}

export interface Turns {
  /** Gets the bytes as they come. */
  take(chunk: Buffer): void
  /** Does the next thing; false where nothing is whole yet. Never called twice at a time. */
  work(): boolean | Promise<boolean>
  /** One of them threw: what was said makes no sense. */
  failed(error: Error): void
}

export const takeTurns = (socket: Socket, turns: Turns): void => {
  let isBusy = false
  let hasMore = false
  const run = async (): Promise<void> => {
    isBusy = true
    do {
      hasMore = false
      while (socket.writable && (await turns.work())) await isHeard(socket)
    } while (hasMore && socket.writable)
    isBusy = false
    socket.resume()
  }
  socket.on('data', (chunk) => {
    try {
      // Whoever was told goodbye is not listened to any more.
      if (socket.writable) turns.take(chunk)
    } catch (error) {
      turns.failed(error as Error)
      return
    }
    hasMore = true
    if (isBusy) socket.pause()
    else run().catch(turns.failed)
  })
}
