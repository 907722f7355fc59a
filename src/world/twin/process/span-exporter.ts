/**
 * Exports spans from the pod in batches over a Unix socket; spans that cannot be sent are dropped and
 * counted.
 */
import { connect, type Socket } from 'node:net'
import type { Span } from '#spec'
import type { Address } from '#world/twin/ports'
import { type AgentExporter, createAgentExporter } from './agent-exporter.ts'

export interface SpanExporter {
  /** All spans are also sent to `agent`. */
  add(span: Span, agent?: Address): void
  /** Sends the pending spans and waits a limited time for completion. */
  close(): Promise<void>
  readonly dropped: number
}

const BATCH_MS = 250
const BATCH_SPANS = 200
/** Maximum number of unsent bytes while the receiver does not read. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024
/** Pause between two connection attempts. */
const RETRY_MS = 1000
/** Time limit of the last batch at the end of the process. */
const CLOSE_TIMEOUT_MS = 300

/** One connection, opened on demand, and reopened after a pause if it was lost. */
const createSpanSocket = (path: string): { open(): Socket | undefined; close(): Promise<void> } => {
  let socket: Socket | undefined
  let openedAt = Number.NEGATIVE_INFINITY
  const open = (): Socket | undefined => {
    if (socket === undefined && performance.now() - openedAt >= RETRY_MS) {
      openedAt = performance.now()
      const created = connect(path)
      created.on('error', () => {})
      created.on('close', () => {
        if (socket === created) socket = undefined
      })
      // The receiver sends nothing, but the end of the connection is noticed only while reading.
      created.resume()
      created.unref()
      socket = created
    }
    return socket
  }
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      if (socket === undefined) return resolve()
      const closing = socket
      const timer = setTimeout(() => closing.destroy(), CLOSE_TIMEOUT_MS)
      closing.ref()
      closing.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      closing.end()
    })
  return { open, close }
}

export const createSpanExporter = (path: string): SpanExporter => {
  const spanSocket = createSpanSocket(path)
  let batch: Span[] = []
  let agentExporter: AgentExporter | undefined
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
    agentExporter?.send(batch, text)
    const socket = spanSocket.open()
    if (socket === undefined || socket.writableLength > MAX_PENDING_BYTES) dropped += batch.length
    else send(socket, batch, text)
    batch = []
  }
  return {
    add: (span, agent) => {
      if (agent !== undefined) agentExporter ??= createAgentExporter(agent)
      batch.push(span)
      if (batch.length >= BATCH_SPANS) flush()
      else timer ??= setTimeout(flush, BATCH_MS)
    },
    close: async () => {
      flush()
      agentExporter?.close()
      await spanSocket.close()
    },
    get dropped() {
      return dropped
    },
  }
}
