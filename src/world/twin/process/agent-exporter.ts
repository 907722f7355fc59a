/** Sends spans to the agent of a trace store in datagrams, as the original services do; losses are ignored. */
import type { Socket } from 'node:dgram'
import type { Span } from '#spec'
import type { Address } from '#world/twin/ports'

const MAX_DATAGRAM_BYTES = 48_000
const SPANS_PER_DATAGRAM = 40

/** Pause after the agent could not be resolved or refused a datagram. */
const RETRY_MS = 2000

export interface AgentExporter {
  /** `text` is the serialised batch. */
  send(spans: readonly Span[], text: string): void
  close(): void
}

export const createAgentExporter = ({ host, port }: Address): AgentExporter => {
  let socket: Socket | undefined
  let isConnected = false
  let openedAt = Number.NEGATIVE_INFINITY

  const closeSocket = (): void => {
    socket?.close()
    socket = undefined
    isConnected = false
  }

  const open = (): void => {
    openedAt = performance.now()
    const created = process.getBuiltinModule('node:dgram').createSocket('udp4')
    socket = created
    created.unref()
    created.on('error', () => {
      if (socket === created) closeSocket()
    })
    created.connect(port, host, () => {
      isConnected = true
    })
  }

  return {
    send: (spans, text) => {
      if (socket === undefined && performance.now() - openedAt >= RETRY_MS) open()
      if (socket === undefined || !isConnected) return
      if (text.length <= MAX_DATAGRAM_BYTES) {
        socket.send(text)
        return
      }
      for (let from = 0; from < spans.length; from += SPANS_PER_DATAGRAM)
        socket.send(`${JSON.stringify({ spans: spans.slice(from, from + SPANS_PER_DATAGRAM) })}\n`)
    },
    close: closeSocket,
  }
}
