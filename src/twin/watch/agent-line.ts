/** Sends spans to a trace store's agent besides, in datagrams, as the originals do: nobody waits for it or misses it. */
import type { Socket } from 'node:dgram'
import type { Span } from '../../spec/index.ts'

/** More than this does not fit a datagram safely. */
const MOST_BYTES = 48_000
const SPANS_OF_A_PART = 40

/** After the agent could not be found, or nobody listened there. */
const PAUSE_MS = 2000

export interface AgentLine {
  /** `text` is the batch, written out. */
  send(spans: readonly Span[], text: string): void
  close(): void
}

export const createAgentLine = ({ host, port }: { host: string; port: number }): AgentLine => {
  let socket: Socket | undefined
  let isConnected = false
  let triedAt = Number.NEGATIVE_INFINITY

  const drop = (): void => {
    socket?.close()
    socket = undefined
    isConnected = false
  }

  const open = (): void => {
    triedAt = performance.now()
    const made = process.getBuiltinModule('node:dgram').createSocket('udp4')
    socket = made
    made.unref()
    made.on('error', () => {
      if (socket === made) drop()
    })
    made.connect(port, host, () => {
      isConnected = true
    })
  }

  return {
    send: (spans, text) => {
      if (socket === undefined && performance.now() - triedAt >= PAUSE_MS) open()
      if (socket === undefined || !isConnected) return
      if (text.length <= MOST_BYTES) {
        socket.send(text)
        return
      }
      for (let from = 0; from < spans.length; from += SPANS_OF_A_PART)
        socket.send(`${JSON.stringify({ spans: spans.slice(from, from + SPANS_OF_A_PART) })}\n`)
    },
    close: drop,
  }
}
