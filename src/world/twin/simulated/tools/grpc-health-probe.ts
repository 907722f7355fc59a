/** The program `grpc_health_probe` in a simulated container: calls the health service of a gRPC server once. */
import type { GrpcResponseContent, ProgramConnection, ProgramHost, SimulatedProgram } from '#spec'
import { sleep, withTimeLimit } from '#world/twin/ports'
import { type ProbeOptions, parseProbeOptions, toDurationText } from '#world/twin/tools'
import { GrpcResponse, GrpcSettings, SETTINGS_MESSAGE, toRequestMessage } from '../grpc/grpc-content.ts'

const EXIT = { healthy: 0, arguments: 1, connection: 2, rpc: 3, unhealthy: 4 } as const
const UNIMPLEMENTED = 12
/** Pause after a failed attempt, as in a gRPC client. */
const RETRY_MS = 1000

/** The end of the program. */
class Result extends Error {
  readonly code: number

  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

/** Resolves when the server has sent its settings. Repeats failed attempts. */
const connect = async (host: ProgramHost, options: ProbeOptions): Promise<ProgramConnection> => {
  for (;;) {
    try {
      const connection = await host.network.connect(options.host, options.port)
      const { content } = await connection.exchange(SETTINGS_MESSAGE)
      if (content instanceof GrpcSettings) return connection
      connection.close()
    } catch {
      // The server does not listen, or has closed the connection.
    }
    await sleep(host.time, RETRY_MS)
  }
}

const check = async (connection: ProgramConnection, { service }: ProbeOptions): Promise<unknown> => {
  const request = toRequestMessage('/grpc.health.v1.Health/Check', {}, { service })
  try {
    return (await connection.exchange(request)).content
  } catch {
    throw new Result(EXIT.rpc, 'error: health rpc failed: the connection was lost')
  }
}

const toResult = ({ code, message }: GrpcResponseContent): Result => {
  if (code === UNIMPLEMENTED)
    return new Result(
      EXIT.rpc,
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)',
    )
  if (code !== 0) return new Result(EXIT.rpc, `error: health rpc failed: rpc error: code = ${code}`)
  const { status = 'UNKNOWN' } = message as { status?: string }
  return status === 'SERVING'
    ? new Result(EXIT.healthy, `status: ${status}`)
    : new Result(EXIT.unhealthy, `service unhealthy (responded with "${status}")`)
}

const readOptions = (args: readonly string[]): ProbeOptions => {
  try {
    return parseProbeOptions(args)
  } catch (error) {
    throw new Result(EXIT.arguments, `error: ${(error as Error).message}`)
  }
}

const probe = async (host: ProgramHost): Promise<Result> => {
  const options = readOptions(host.args)
  const { address, connectMs, rpcMs } = options
  const connection = await withTimeLimit(
    host.time,
    connect(host, options),
    connectMs,
    () =>
      new Result(
        EXIT.connection,
        `timeout: failed to connect service "${address}" within ${toDurationText(connectMs)}`,
      ),
  )
  const content = await withTimeLimit(
    host.time,
    check(connection, options),
    rpcMs,
    () => new Result(EXIT.rpc, `timeout: health rpc did not complete within ${toDurationText(rpcMs)}`),
  )
  connection.close()
  if (content instanceof GrpcResponse) return toResult(content)
  return new Result(EXIT.rpc, 'error: health rpc failed: the stream was reset')
}

export const grpcHealthProbe: SimulatedProgram = async (host) => {
  const result = await probe(host).catch((error: unknown) => {
    if (error instanceof Result) return error
    throw error
  })
  host.writeError(`${result.message}\n`)
  host.exit(result.code)
}
