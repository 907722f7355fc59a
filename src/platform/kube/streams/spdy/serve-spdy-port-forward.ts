/** Port-forward over SPDY/3.1: each connection is a pair of a data and an error stream. */
import type { Duplex } from 'node:stream'
import type { Clock, Timer } from '#kit'
import { parsePort } from '../port-forward/parse-port.ts'
import { createSpdyConnection } from './spdy-connection.ts'
import type { SpdyStream } from './spdy-stream.ts'

/** Relays the data of one connection; resolves with an error message if it fails. */
export type ForwardStream = (data: SpdyStream, port: number) => Promise<string | undefined>

interface StreamPair {
  data?: SpdyStream
  error?: SpdyStream
  timeout: Timer
}

const PAIR_TIMEOUT_MS = 30_000

const portOf = (stream: SpdyStream): number | undefined => {
  const parsed = parsePort(stream.headers.get('port') ?? '')
  return 'port' in parsed ? parsed.port : undefined
}

/** Clients before Kubernetes 1.2 send no request id, but open the error stream just before the data stream. */
const requestIdOf = (stream: SpdyStream, type: 'data' | 'error'): string =>
  stream.headers.get('requestid') || String(type === 'error' ? stream.id : stream.id - 2)

/** Resolves when the connection has ended. */
export const serveSpdyPortForward = (
  transport: Duplex,
  clock: Clock,
  forward: ForwardStream,
): Promise<void> => {
  const pairs = new Map<string, StreamPair>()

  const startPair = (request: string): StreamPair => {
    const pair: StreamPair = {
      timeout: clock.after(PAIR_TIMEOUT_MS, () => {
        pairs.delete(request)
        pair.error?.output.end(`(request=${request}) timed out waiting for streams`)
        pair.data?.reset()
      }),
    }
    pairs.set(request, pair)
    return pair
  }

  const forwardPair = async (data: SpdyStream, error: SpdyStream): Promise<void> => {
    const problem = await forward(data, portOf(data)!)
    if (problem === undefined) error.output.end()
    else error.output.end(problem)
  }

  const connection = createSpdyConnection(transport, clock, (stream) => {
    const type = stream.headers.get('streamtype')
    if ((type !== 'data' && type !== 'error') || portOf(stream) === undefined) return false
    const request = requestIdOf(stream, type)
    const pair = pairs.get(request) ?? startPair(request)
    if (pair[type] !== undefined) {
      pair.error?.output.write(
        `error processing stream for request ${request}: ${type} stream already assigned`,
      )
      return false
    }
    pair[type] = stream
    if (type === 'error') stream.input.resume()
    if (pair.data !== undefined && pair.error !== undefined) {
      pair.timeout.cancel()
      pairs.delete(request)
      void forwardPair(pair.data, pair.error)
    }
    return true
  })

  return new Promise((resolve) => {
    connection.closed.addEventListener(
      'abort',
      () => {
        for (const pair of pairs.values()) pair.timeout.cancel()
        resolve()
      },
      { once: true },
    )
  })
}
