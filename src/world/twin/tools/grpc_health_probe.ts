/**
 * The program `grpc_health_probe`: calls the health service of a gRPC server once and exits with a code for
 * the result.
 */
import { writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { type ProbeOptions, parseProbeOptions, toDurationText } from '#world/twin/tool-cores'
import { findGrpcStatus } from './grpc-health/grpc-status-header.ts'
import {
  FRAME,
  type Frame,
  isLastFrame,
  parseFrames,
  SETTINGS_ACKNOWLEDGED,
  toHealthRequest,
} from './grpc-health/http2-frames.ts'

const EXIT = { healthy: 0, arguments: 1, connection: 2, rpc: 3, unhealthy: 4 } as const

/** Pause after a failed attempt, as in a gRPC client. */
const RETRY_MS = 1000

const UNIMPLEMENTED = 12

const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']

const exit: (code: number, text: string) => never = (code, text) => {
  // Faster than the streams of the process.
  writeSync(2, `${text}\n`)
  process.exit(code)
}

/** Reads field 1, a varint, of the HealthCheckResponse after the five-byte prefix; a missing field is 0. */
const readHealth = (data: Buffer): number => (data[5] === 0x08 ? (data[6] ?? 0) : 0)

const reportResult = (frames: readonly Frame[]): never => {
  const reset = frames.find(({ type }) => type === FRAME.reset)
  const status = frames
    .filter(({ type }) => type === FRAME.headers)
    .map(({ payload }) => findGrpcStatus(payload))
    .find((code) => code !== undefined)
  if (reset || status === undefined) exit(EXIT.rpc, 'error: health rpc failed: the stream was reset')
  if (status === UNIMPLEMENTED)
    exit(EXIT.rpc, 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)')
  if (status !== 0) exit(EXIT.rpc, `error: health rpc failed: rpc error: code = ${status}`)
  const data = Buffer.concat(frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload))
  const health = HEALTH[readHealth(data)] ?? 'UNKNOWN'
  return health === 'SERVING'
    ? exit(EXIT.healthy, `status: ${health}`)
    : exit(EXIT.unhealthy, `service unhealthy (responded with "${health}")`)
}

const handleFrames = (socket: Socket, options: ProbeOptions, connectTimer: NodeJS.Timeout): void => {
  let rest: Buffer = Buffer.alloc(0)
  let isConnected = false
  const frames: Frame[] = []
  socket.on('data', (received) => {
    const parsed = parseFrames(Buffer.concat([rest, received]))
    rest = parsed.rest
    for (const frame of parsed.frames) {
      // The connection counts as established once the server has sent its settings.
      if (frame.type === FRAME.settings && !isConnected) {
        isConnected = true
        clearTimeout(connectTimer)
        socket.write(SETTINGS_ACKNOWLEDGED)
        const text = `timeout: health rpc did not complete within ${toDurationText(options.rpcMs)}`
        setTimeout(() => exit(EXIT.rpc, text), options.rpcMs)
      }
      if (frame.type === FRAME.goAway) exit(EXIT.rpc, 'error: health rpc failed: the server is going away')
      if (frame.stream !== 1) continue
      frames.push(frame)
      if (isLastFrame(frame)) reportResult(frames)
    }
  })
  socket.on('close', () => {
    if (isConnected) exit(EXIT.rpc, 'error: health rpc failed: the connection was lost')
    else setTimeout(() => connectAndSend(options, connectTimer), RETRY_MS)
  })
}

const connectAndSend = (options: ProbeOptions, connectTimer: NodeJS.Timeout): void => {
  const socket = connect({ host: options.host, port: options.port, noDelay: true })
  socket.on('error', () => {})
  socket.write(toHealthRequest(options.address, options.service))
  handleFrames(socket, options, connectTimer)
}

const main = (): void => {
  let options: ProbeOptions
  try {
    options = parseProbeOptions(process.argv.slice(2))
  } catch (error) {
    exit(EXIT.arguments, `error: ${(error as Error).message}`)
  }
  const text = `timeout: failed to connect service "${options.address}" within ${toDurationText(options.connectMs)}`
  connectAndSend(
    options,
    setTimeout(() => exit(EXIT.connection, text), options.connectMs),
  )
}

main()
