/** The functions of a runtime that probes use: connections from the node of the pod, and commands in the container. */

export interface ProbeAddress {
  readonly host: string
  readonly port: number
}

export interface HttpProbeResponse {
  readonly status: number
  readonly location: string | undefined
  /** At most `MAX_PROBE_OUTPUT` bytes. */
  readonly body: string
}

export interface HttpHeader {
  readonly name: string
  readonly value: string
}

export interface HealthAnswer {
  /** The gRPC code of the call. */
  readonly code: number
  /** The reason of a failed call. */
  readonly message: string
  /** The serving status: 1 means SERVING. */
  readonly status: number
}

export interface ProbeClient<Connection> {
  /** Rejects with an error of the operating system, or with an error whose message begins with `dial tcp`. */
  connect(address: ProbeAddress, signal: AbortSignal): Promise<Connection>
  /** Pending calls of the connection then reject. */
  close(connection: Connection): void
  /** Rejects with Go's message; with BrokenBody if the response breaks off after its headers. */
  get(connection: Connection, url: URL, headers: readonly HttpHeader[]): Promise<HttpProbeResponse>
  checkHealth(
    connection: Connection,
    call: { readonly authority: string; readonly service: string; readonly signal: AbortSignal },
  ): Promise<HealthAnswer>
  /**
   * Kills the process when the signal aborts, and resolves with undefined. Rejects with `rpcError` if the command could not be
   * started. The output contains at most `MAX_PROBE_OUTPUT` bytes.
   */
  exec(
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly exitCode: number; readonly output: string } | undefined>
}

/** The number of bytes that a kubelet reads from a response or from the output of a command. */
export const MAX_PROBE_OUTPUT = 10 * 1024

export const PROBE_USER_AGENT = 'kube-probe/1.32'

/** The response broke off after its headers: the probe has no result. */
export class BrokenBody extends Error {}

/** The kubelet's error for a message of the container runtime. */
export const rpcError = (detail: string): Error => new Error(`rpc error: code = Unknown desc = ${detail}`)

export const CONTAINER_EXITED = 'failed to exec in container: container is in CONTAINER_EXITED state'

/** Go's message for a connection that broke before the response. */
export const connectionErrorText = ({ code, message }: NodeJS.ErrnoException): string => {
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') return NO_TLS
  return message
}

/** Go's message for a server that does not encrypt. */
export const NO_TLS = 'http: server gave HTTP response to HTTPS client'
