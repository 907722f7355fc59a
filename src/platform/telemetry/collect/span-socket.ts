/** The socket to which a pod writes its spans: one JSON line `{"spans": [...]}` for each batch. */
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Clock, Timer } from '#kit'
import type { Span } from '#spec'
import { createBoundedLines } from './bounded-lines.ts'
import { parseSpan } from './parse-span.ts'

/** File name of the socket in the folder that is mounted into the pod. */
export const SOCKET_NAME = 'telemetry.sock'
const MAX_LINE_BYTES = 2 ** 20
const MAX_SPANS_PER_LINE = 5000
/** Connections of one pod: its containers may have several processes. */
const MAX_CLIENTS = 32
/** About ten thousand spans. Above this rate, reading pauses for a second. */
const MAX_BYTES_PER_SECOND = 4 * 2 ** 20

export interface SpanSocket {
  /** Number of invalid lines and spans. */
  rejected(): number
  close(): Promise<void>
}

export interface SpanSocketOptions {
  /** The folder of the socket; mounted read-only into the pod. */
  folder: string
  clock: Clock
  /** The sender of the spans; overrides the service and the pod that a span states. */
  sender(): { readonly service: string; readonly pod: string }
  onSpans(spans: readonly Span[]): void
}

/** Pauses all clients once they exceed the rate limit together. */
const createRateLimit = (clock: Clock, clients: ReadonlySet<Socket>) => {
  let second = 0
  let bytes = 0
  let pauseTimer: Timer | undefined

  const resume = (): void => {
    pauseTimer = undefined
    for (const client of clients) client.resume()
  }
  return {
    isPaused: () => pauseTimer !== undefined,
    add(count: number): void {
      const now = Math.floor(clock.now() / 1000)
      bytes = now === second ? bytes + count : count
      second = now
      if (bytes < MAX_BYTES_PER_SECOND || pauseTimer !== undefined) return
      for (const client of clients) client.pause()
      pauseTimer = clock.after(1000, resume)
    },
    end: () => pauseTimer?.cancel(),
  }
}

const listen = async (server: ReturnType<typeof createServer>, folder: string): Promise<void> => {
  rmSync(join(folder, SOCKET_NAME), { force: true })
  // The path of a socket is limited to 108 bytes, so a longer folder is addressed through a file descriptor.
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
  // Containers may run as any user.
  chmodSync(join(folder, SOCKET_NAME), 0o666)
}

export const createSpanSocket = async (options: SpanSocketOptions): Promise<SpanSocket> => {
  const { folder, clock, sender, onSpans } = options
  const clients = new Set<Socket>()
  const rateLimit = createRateLimit(clock, clients)
  let rejected = 0

  const parseLine = (line: string): void => {
    if (line === '') return
    let values: unknown
    try {
      values = JSON.parse(line)?.spans
    } catch {
      // Rejected below.
    }
    if (!Array.isArray(values)) {
      rejected += 1
      return
    }
    const sentBy = { ...sender(), now: clock.now() }
    const spans = values
      .slice(0, MAX_SPANS_PER_LINE)
      .map((value) => parseSpan(value, sentBy))
      .filter((span) => span !== undefined)
    rejected += values.length - spans.length
    if (spans.length > 0) onSpans(spans)
  }

  const server = createServer((client) => {
    const addChunk = createBoundedLines(MAX_LINE_BYTES, {
      onLine: parseLine,
      onTooLong() {
        rejected += 1
      },
    })
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => clients.delete(client))
    client.on('data', (chunk) => {
      addChunk(chunk)
      rateLimit.add(chunk.length)
    })
    if (rateLimit.isPaused()) client.pause()
  })
  server.maxConnections = MAX_CLIENTS
  await listen(server, folder)
  return {
    rejected: () => rejected,
    async close() {
      rateLimit.end()
      for (const client of clients) client.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      rmSync(join(folder, SOCKET_NAME), { force: true })
    },
  }
}
