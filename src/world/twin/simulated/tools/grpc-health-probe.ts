/** The program `grpc_health_probe` in a simulated container. It prints and exits as the program of `world/twin/tools`. */
import type { GrpcResponseContent, ProgramConnection, ProgramHost, SimulatedProgram } from '#spec'
import { type ProbeOptions, parseProbeOptions, toDurationText } from '#world/twin/tool-cores'
import { GrpcResponse, SETTINGS_MESSAGE, toRequestMessage } from '../grpc/grpc-content.ts'

const CHECK = '/grpc.health.v1.Health/Check'
const EXIT = { healthy: 0, arguments: 1, connection: 2, rpc: 3, unhealthy: 4 } as const
const UNIMPLEMENTED = 12
/** Pause after a failed attempt, as in a gRPC client. */
const RETRY_MS = 1000
/** The CPU time of the fast path, a script in bash. */
const CPU_MS = 4

interface Result {
  readonly code: number
  readonly text: string
}

const sleep = (host: ProgramHost, ms: number): Promise<void> =>
  new Promise((resolve) => host.time.after(ms, resolve))

/** Connects until a server answers with its settings. */
const connect = async (host: ProgramHost, options: ProbeOptions): Promise<ProgramConnection> => {
  for (;;) {
    try {
      const connection = await host.network.connect(options.host, options.port)
      await connection.exchange(SETTINGS_MESSAGE)
      return connection
    } catch {
      await sleep(host, RETRY_MS)
    }
  }
}

const toResult = ({ code, message }: GrpcResponseContent): Result => {
  if (code === UNIMPLEMENTED)
    return {
      code: EXIT.rpc,
      text: 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)',
    }
  if (code !== 0) return { code: EXIT.rpc, text: `error: health rpc failed: rpc error: code = ${code}` }
  const health = (message as { status?: string } | null)?.status ?? 'UNKNOWN'
  return health === 'SERVING'
    ? { code: EXIT.healthy, text: `status: ${health}` }
    : { code: EXIT.unhealthy, text: `service unhealthy (responded with "${health}")` }
}

const check = async (connection: ProgramConnection, options: ProbeOptions): Promise<Result> => {
  try {
    const { content } = await connection.exchange(toRequestMessage(CHECK, {}, { service: options.service }))
    if (content instanceof GrpcResponse) return toResult(content)
    return { code: EXIT.rpc, text: 'error: health rpc failed: the server is going away' }
  } catch {
    return { code: EXIT.rpc, text: 'error: health rpc failed: the connection was lost' }
  }
}

const afterTimeout = (host: ProgramHost, ms: number, result: Result): Promise<Result> =>
  sleep(host, ms).then(() => result)

const probe = async (host: ProgramHost, options: ProbeOptions): Promise<Result> => {
  const { address, connectMs, rpcMs } = options
  const connection = await Promise.race([
    connect(host, options),
    afterTimeout(host, connectMs, {
      code: EXIT.connection,
      text: `timeout: failed to connect service "${address}" within ${toDurationText(connectMs)}`,
    }),
  ])
  if ('code' in connection) return connection
  return Promise.race([
    check(connection, options),
    afterTimeout(host, rpcMs, {
      code: EXIT.rpc,
      text: `timeout: health rpc did not complete within ${toDurationText(rpcMs)}`,
    }),
  ])
}

const parse = (args: readonly string[]): ProbeOptions | Result => {
  try {
    return parseProbeOptions(args)
  } catch (error) {
    return { code: EXIT.arguments, text: `error: ${(error as Error).message}` }
  }
}

export const grpcHealthProbe: SimulatedProgram = async (host) => {
  await host.cpu.use(CPU_MS)
  const options = parse(host.args)
  const { code, text } = 'code' in options ? options : await probe(host, options)
  host.writeError(`${text}\n`)
  host.exit(code)
}
