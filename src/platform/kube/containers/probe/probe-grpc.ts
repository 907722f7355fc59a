/** Probes a gRPC server with `grpc.health.v1.Health/Check`. */
import { type Clock, sleep } from '#kit'
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import { dialProbe } from './dial-probe.ts'
import type { HealthAnswer, ProbeAddress, ProbeClient } from './probe-client.ts'

type GrpcAction = Extract<ProbeAction['action'], { type: 'grpc' }>

const SERVING = 1
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
const UNIMPLEMENTED = 12
const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange'],
  ...['Unimplemented', 'Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
]
/** The delay before the next connection attempt. */
const RETRY_MS = 1000

export interface GrpcProbeOptions<Connection> {
  readonly client: ProbeClient<Connection>
  readonly clock: Clock
  readonly address: ProbeAddress
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Retries until the connection is open. Returns undefined if the signal aborts first. */
const dialWithRetries = async <Connection>({
  client,
  clock,
  address,
  signal,
}: GrpcProbeOptions<Connection>): Promise<Connection | undefined> => {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  while (!signal.aborted) {
    try {
      return await dialProbe(client, address, signal)
    } catch {
      await Promise.race([sleep(clock, RETRY_MS), aborted])
    }
  }
  return undefined
}

const toResult = ({ code, message, status }: HealthAnswer): ProbeResult => {
  if (code === UNIMPLEMENTED) {
    const protocol = 'the grpc health protocol (grpc.health.v1.Health)'
    return { ok: false, output: `error: this server does not implement ${protocol}: ${message}` }
  }
  if (code !== 0) {
    const error = `rpc error: code = ${CODES[code] ?? `Code(${code})`} desc = ${message}`
    return { ok: false, output: `error: health rpc probe failed: ${error}` }
  }
  return status === SERVING
    ? { ok: true, output: 'service healthy' }
    : { ok: false, output: `service unhealthy (responded with "${STATUSES[status] ?? status}")` }
}

export const probeGrpc = async <Connection>(
  options: GrpcProbeOptions<Connection>,
  { service }: GrpcAction,
): Promise<ProbeResult> => {
  const { client, address, timeoutMs, signal } = options
  const authority = `${address.host}:${address.port}`
  const connection = await dialWithRetries(options)
  const within = `within ${timeoutMs / 1000}s`
  if (connection === undefined) {
    const server = `service "${authority}"`
    return { ok: false, output: `timeout: failed to connect ${server} ${within}: context deadline exceeded` }
  }
  try {
    return toResult(await client.checkHealth(connection, { authority, service, signal }))
  } catch (error) {
    return signal.aborted
      ? { ok: false, output: `timeout: health rpc did not complete ${within}` }
      : {
          ok: false,
          output: `error: health rpc probe failed: rpc error: code = Unavailable desc = ${(error as Error).message}`,
        }
  } finally {
    client.close(connection)
  }
}
