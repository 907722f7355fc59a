/** Sends spans out of the pod, in batches over a unix socket; where that cannot be they are dropped and counted. */
import { connect, type Socket } from 'node:net'
import type { Span } from '../../spec/index.ts'
import type { AgentLine } from './agent-line.ts'
import type { SpanExporter } from './create-tracer.ts'

const BATCH_MS = 250
const BATCH_SPANS = 200
/** Not sent because the other side does not read. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024
/** Between two attempts to connect. */
const RETRY_MS = 1000
/** At the end of the process. */
const FAREWELL_MS = 300

/** One connection, opened when there is something to send, and again a while after it was lost. */
const createLine = (path: string): { open(): Socket | undefined; close(): Promise<void> } => {
  let socket: Socket | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  const open = (): Socket | undefined => {
    if (socket === undefined && performance.now() - triedAt >= RETRY_MS) {
      triedAt = performance.now()
      const made = connect(path)
      made.on('error', () => {})
      made.on('close', () => {
        if (socket === made) socket = undefined
      })
      // Nothing is ever said back; without reading, the end of the connection would not be noticed.
      made.resume()
      made.unref()
      socket = made
    }
    return socket
  }
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      if (socket === undefined) return resolve()
      const last = socket
      const timer = setTimeout(() => last.destroy(), FAREWELL_MS)
      last.ref()
      last.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      last.end()
    })
  return { open, close }
}

/** `agent` gets all spans as well. */
export const createSpanExporter = (path: string, agent?: AgentLine): SpanExporter => {
  const line = createLine(path)
  let batch: Span[] = []
  let timer: NodeJS.Timeout | undefined
  let dropped = 0
  const send = (socket: Socket, spans: readonly Span[], text: string): void => {
    socket.write(text, (error) => {
      if (error) dropped += spans.length
    })
  }
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (batch.length === 0) return
    const text = `${JSON.stringify({ spans: batch })}\n`
    agent?.send(batch, text)
    const socket = line.open()
    if (socket === undefined || socket.writableLength > MOST_WAITING_BYTES) dropped += batch.length
    else send(socket, batch, text)
    batch = []
  }
  return {
    add: (span) => {
      batch.push(span)
      if (batch.length >= BATCH_SPANS) flush()
      else timer ??= setTimeout(flush, BATCH_MS)
    },
    close: async () => {
      flush()
      agent?.close()
      await line.close()
    },
    get dropped() {
      return dropped
    },
  }
}
