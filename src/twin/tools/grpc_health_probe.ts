/** The program `grpc_health_probe`: asks a gRPC server once for its health, and says the answer by its exit code. */
import { writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { findGrpcStatus } from './grpc-health/grpc-status-header.ts'
import {
  FRAME,
  type Frame,
  isLast,
  parseFrames,
  SETTINGS_ACKNOWLEDGED,
  toHealthRequest,
} from './grpc-health/http2-frames.ts'
import { type ProbeOptions, parseProbeOptions, toDurationText } from './grpc-health/probe-options.ts'

const EXIT = { healthy: 0, arguments: 1, connection: 2, rpc: 3, unhealthy: 4 } as const

/** After a failed attempt; as long as a gRPC client would wait. */
const RETRY_MS = 1000

const UNIMPLEMENTED = 12

const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']

const end: (code: number, text: string) => never = (code, text) => {
  // Streams of the process would take longer to set up than the line is worth.
  writeSync(2, `${text}\n`)
  process.exit(code)
}

/** HealthCheckResponse behind the five bytes of its frame: field 1, a varint; nothing at all is 0. */
const readHealth = (data: Buffer): number => (data[5] === 0x08 ? (data[6] ?? 0) : 0)

const conclude = (frames: readonly Frame[]): never => {
  const reset = frames.find(({ type }) => type === FRAME.reset)
  const status = frames
    .filter(({ type }) => type === FRAME.headers)
    .map(({ payload }) => findGrpcStatus(payload))
    .find((code) => code !== undefined)
  if (reset || status === undefined) end(EXIT.rpc, 'error: health rpc failed: the stream was reset')
  if (status === UNIMPLEMENTED)
    end(EXIT.rpc, 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)')
  if (status !== 0) end(EXIT.rpc, `error: health rpc failed: rpc error: code = ${status}`)
  const data = Buffer.concat(frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload))
  const health = HEALTH[readHealth(data)] ?? 'UNKNOWN'
  return health === 'SERVING'
    ? end(EXIT.healthy, `status: ${health}`)
    : end(EXIT.unhealthy, `service unhealthy (responded with "${health}")`)
}

const listen = (socket: Socket, options: ProbeOptions, connecting: NodeJS.Timeout): void => {
  let rest: Buffer = Buffer.alloc(0)
  let isConnected = false
  const seen: Frame[] = []
  socket.on('data', (received) => {
    const parsed = parseFrames(Buffer.concat([rest, received]))
    rest = parsed.rest
    for (const frame of parsed.frames) {
      // The first word of a server are its settings: now the connection counts as made.
      if (frame.type === FRAME.settings && !isConnected) {
        isConnected = true
        clearTimeout(connecting)
        socket.write(SETTINGS_ACKNOWLEDGED)
        const text = `timeout: health rpc did not complete within ${toDurationText(options.rpcMs)}`
        setTimeout(() => end(EXIT.rpc, text), options.rpcMs)
      }
      if (frame.type === FRAME.goAway) end(EXIT.rpc, 'error: health rpc failed: the server is going away')
      if (frame.stream !== 1) continue
      seen.push(frame)
      if (isLast(frame)) conclude(seen)
    }
  })
  socket.on('close', () => {
    if (isConnected) end(EXIT.rpc, 'error: health rpc failed: the connection was lost')
    else setTimeout(() => attempt(options, connecting), RETRY_MS)
  })
}

const attempt = (options: ProbeOptions, connecting: NodeJS.Timeout): void => {
  const socket = connect({ host: options.host, port: options.port, noDelay: true })
  socket.on('error', () => {})
  socket.write(toHealthRequest(options.address, options.service))
  listen(socket, options, connecting)
}

const main = (): void => {
  let options: ProbeOptions
  try {
    options = parseProbeOptions(process.argv.slice(2))
  } catch (error) {
    end(EXIT.arguments, `error: ${(error as Error).message}`)
  }
  const text = `timeout: failed to connect service "${options.address}" within ${toDurationText(options.connectMs)}`
  attempt(
    options,
    setTimeout(() => end(EXIT.connection, text), options.connectMs),
  )
}

main()
