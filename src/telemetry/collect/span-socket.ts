/** The socket that a pod writes its spans to: one JSON line `{"spans": [...]}` for each batch. */
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Clock, Timer } from '../../kit/index.ts'
import type { Span } from '../../spec/index.ts'
import { createBoundedLines } from './bounded-lines.ts'
import { parseSpan } from './parse-span.ts'

/** As pods know it, in the folder that they see. */
export const SOCKET_NAME = 'telemetry.sock'
const LONGEST_LINE = 2 ** 20
const MOST_SPANS_A_LINE = 5000
/** Of one pod: its containers, and those of their processes that speak for themselves. */
const MOST_CLIENTS = 32
/** Ten thousand spans or so: who writes more is not read until the second is over. */
const MOST_BYTES_A_SECOND = 4 * 2 ** 20

export interface SpanSocket {
  /** Lines and spans that were none. */
  refused(): number
  close(): Promise<void>
}

export interface SpanSocketOptions {
  /** In which the socket is made; the pod sees it read-only. */
  folder: string
  clock: Clock
  /** Whose spans these are, whatever they say themselves. */
  sender(): { readonly service: string; readonly pod: string }
  onSpans(spans: readonly Span[]): void
}

/** Holds back all clients together once they have written more than they may. */
const createPace = (clock: Clock, clients: ReadonlySet<Socket>) => {
  let second = 0
  let bytes = 0
  let waiting: Timer | undefined

  const goOn = (): void => {
    waiting = undefined
    for (const client of clients) client.resume()
  }
  return {
    isHeld: () => waiting !== undefined,
    note(more: number): void {
      const now = Math.floor(clock.now() / 1000)
      bytes = now === second ? bytes + more : more
      second = now
      if (bytes < MOST_BYTES_A_SECOND || waiting !== undefined) return
      for (const client of clients) client.pause()
      waiting = clock.after(1000, goOn)
    },
    end: () => waiting?.cancel(),
  }
}

const listen = async (server: ReturnType<typeof createServer>, folder: string): Promise<void> => {
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
}

export const createSpanSocket = async (options: SpanSocketOptions): Promise<SpanSocket> => {
  const { folder, clock, sender, onSpans } = options
  const clients = new Set<Socket>()
  const pace = createPace(clock, clients)
  let refused = 0

  const takeLine = (line: string): void => {
    if (line === '') return
    let given: unknown
    try {
      given = JSON.parse(line)?.spans
    } catch {
      // Refused below.
    }
    if (!Array.isArray(given)) {
      refused += 1
      return
    }
    const from = { ...sender(), now: clock.now() }
    const spans = given
      .slice(0, MOST_SPANS_A_LINE)
      .map((one) => parseSpan(one, from))
      .filter((span) => span !== undefined)
    refused += given.length - spans.length
    if (spans.length > 0) onSpans(spans)
  }

  const server = createServer((client) => {
    const take = createBoundedLines(LONGEST_LINE, {
      onLine: takeLine,
      onTooLong() {
        refused += 1
      },
    })
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => clients.delete(client))
    client.on('data', (chunk) => {
      take(chunk)
      pace.note(chunk.length)
    })
    if (pace.isHeld()) client.pause()
  })
  server.maxConnections = MOST_CLIENTS
  await listen(server, folder)
  return {
    refused: () => refused,
    async close() {
      pace.end()
      for (const client of clients) client.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      rmSync(join(folder, SOCKET_NAME), { force: true })
    },
  }
}
