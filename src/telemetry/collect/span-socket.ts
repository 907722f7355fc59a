/** The socket that pods write their spans to: one JSON line `{"spans": [...]}` for each batch. */
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Span } from '../../spec/index.ts'
import { createBoundedLines } from './bounded-lines.ts'
import { parseSpan } from './parse-span.ts'

/** As pods know it, in the folder that they see. */
export const SOCKET_NAME = 'telemetry.sock'
const LONGEST_LINE = 2 ** 20
const MOST_SPANS_A_LINE = 5000
const MOST_CLIENTS = 2000

export interface SpanSocket {
  /** Lines and spans that were none. */
  refused(): number
  close(): Promise<void>
}

export interface SpanSocketOptions {
  /** In which the socket is made; pods see it read-only. */
  folder: string
  onSpans(spans: readonly Span[]): void
}

const parseLine = (line: string): { spans: Span[]; refused: number } => {
  try {
    const { spans } = JSON.parse(line)
    if (!Array.isArray(spans)) return { spans: [], refused: 1 }
    const parsed = spans.slice(0, MOST_SPANS_A_LINE).map(parseSpan)
    const good = parsed.filter((span) => span !== undefined)
    return { spans: good, refused: spans.length - good.length }
  } catch {
    return { spans: [], refused: 1 }
  }
}

export const createSpanSocket = async ({ folder, onSpans }: SpanSocketOptions): Promise<SpanSocket> => {
  const clients = new Set<Socket>()
  let refused = 0

  const server = createServer((client) => {
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => clients.delete(client))
    client.on(
      'data',
      createBoundedLines(LONGEST_LINE, {
        onLine(line) {
          if (line === '') return
          const parsed = parseLine(line)
          refused += parsed.refused
          if (parsed.spans.length > 0) onSpans(parsed.spans)
        },
        onTooLong() {
          refused += 1
        },
      }),
    )
  })
  server.maxConnections = MOST_CLIENTS
  rmSync(join(folder, SOCKET_NAME), { force: true })
  // Addresses of sockets are short, folders need not be: the way leads through a descriptor of the folder.
  const fd = openSync(folder, 'r')
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(`/proc/self/fd/${fd}/${SOCKET_NAME}`, resolve)
    })
  } finally {
    closeSync(fd)
  }
  server.unref()
  // Containers run as whatever user their pods say.
  chmodSync(join(folder, SOCKET_NAME), 0o666)
  return {
    refused: () => refused,
    async close() {
      for (const client of clients) client.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      rmSync(join(folder, SOCKET_NAME), { force: true })
    },
  }
}
