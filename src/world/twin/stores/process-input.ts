/**
 * Processes the input of a client in order, with backpressure in both directions: the server stops reading
 * while it has input to process, and stops processing while the client does not read its replies. Memory use
 * stays bounded.
 */
import type { ByteStream } from './byte-stream.ts'

/** Resolves when the client has read the data written so far, or has disconnected. */
export const waitForDrain = (socket: ByteStream): Promise<void> => {
  if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const onReady = (): void => {
      socket.off('drain', onReady)
      socket.off('close', onReady)
      resolve()
    }
    socket.once('drain', onReady)
    socket.once('close', onReady)
  })
}

export interface InputHandlers {
  /** Receives each chunk of input. */
  receive(chunk: Buffer): void
  /** Processes the next message; returns false if none is complete. Calls never overlap. */
  processNext(): boolean | Promise<boolean>
  /** Called if `receive` or `processNext` throws because the input is malformed. */
  onMalformed(error: Error): void
}

export const processInput = (socket: ByteStream, handlers: InputHandlers): void => {
  let isBusy = false
  let hasMore = false
  const run = async (): Promise<void> => {
    isBusy = true
    do {
      hasMore = false
      while (socket.writable && (await handlers.processNext())) await waitForDrain(socket)
    } while (hasMore && socket.writable)
    isBusy = false
    socket.resume()
  }
  socket.on('data', (chunk) => {
    try {
      // Ignores input after the server has ended the connection.
      if (socket.writable) handlers.receive(chunk)
    } catch (error) {
      handlers.onMalformed(error as Error)
      return
    }
    hasMore = true
    if (isBusy) socket.pause()
    else run().catch(handlers.onMalformed)
  })
}
