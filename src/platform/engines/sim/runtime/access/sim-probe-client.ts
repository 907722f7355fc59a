/** The connections and commands of probes on a simulated cluster. */
import type { SimNetwork } from '#platform/engines/sim/network'
import {
  CONTAINER_EXITED,
  connectionErrorText,
  ExecNotStarted,
  type HttpHeader,
  MAX_PROBE_OUTPUT,
  NO_TLS,
  PROBE_USER_AGENT,
  type ProbeClient,
  rpcError,
} from '#platform/kube/simulated'
import type { GrpcRequestContent, HttpRequestContent, ProgramConnection } from '#spec'
import type { ProgramContainer } from '../containers/program-container.ts'
import { runCommand } from './run-command.ts'

/** The size of a request without its headers. */
const REQUEST_BYTES = 60
const GRPC_REQUEST_BYTES = 120
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']

const headersOf = (url: URL, headers: readonly HttpHeader[]): Record<string, string> => {
  const byName: Record<string, string> = {
    host: url.host,
    'user-agent': PROBE_USER_AGENT,
    accept: '*/*',
    connection: 'close',
  }
  const seen = new Set<string>()
  for (const { name, value } of headers) {
    const key = name.toLowerCase()
    byName[key] = seen.has(key) ? `${byName[key]}, ${value}` : value
    seen.add(key)
  }
  return byName
}

const limitText = (text: string): string =>
  text.length * 3 <= MAX_PROBE_OUTPUT
    ? text
    : Buffer.from(text).subarray(0, MAX_PROBE_OUTPUT).toString('utf8')

/** An answer of a server of another protocol has no such properties. */
type Answer = Readonly<Record<string, unknown>>

const get: ProbeClient<ProgramConnection>['get'] = async (connection, url, headers) => {
  if (url.protocol === 'https:') throw new Error(NO_TLS)
  const sent = headersOf(url, headers)
  const target = `${url.pathname}${url.search}`
  const content: HttpRequestContent = { method: 'GET', target, headers: sent }
  const bytes = REQUEST_BYTES + target.length + JSON.stringify(sent).length
  const { content: answer } = await connection.exchange({ content, bytes }).catch((error) => {
    throw new Error(connectionErrorText(error))
  })
  const { status, headers: received, body } = answer as Answer
  if (typeof status !== 'number' || typeof body !== 'string')
    throw new Error('net/http: HTTP/1.x transport connection broken: malformed HTTP response')
  return { status, location: (received as Record<string, string>).location, body: limitText(body) }
}

const checkHealth: ProbeClient<ProgramConnection>['checkHealth'] = async (
  connection,
  { service, signal },
) => {
  const content: GrpcRequestContent = {
    rpc: '/grpc.health.v1.Health/Check',
    headers: { 'user-agent': PROBE_USER_AGENT },
    message: { service },
  }
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('timed out')), { once: true })
  })
  const exchange = connection.exchange({ content, bytes: GRPC_REQUEST_BYTES })
  const { content: answer } = await Promise.race([exchange, aborted])
  const { code, reason, message } = answer as Answer
  if (typeof code !== 'number') throw new Error('the response has no gRPC status')
  const status = (message as { status?: unknown } | null)?.status
  return {
    code,
    message: String(reason),
    status: typeof status === 'number' ? status : Math.max(0, STATUSES.indexOf(String(status))),
  }
}

/** Keeps as much as a kubelet does. */
const createCollector = () => {
  let output = ''
  return {
    write(text: string): void {
      if (output.length < MAX_PROBE_OUTPUT) output += text
    },
    text: () => limitText(output),
  }
}

export interface SimProbeOptions {
  readonly network: SimNetwork
  /** The node of the pod. */
  readonly nodeName: string
  /** Undefined if the container has been removed. */
  readonly container: ProgramContainer | undefined
}

export const createSimProbeClient = ({
  network,
  nodeName,
  container,
}: SimProbeOptions): ProbeClient<ProgramConnection> => ({
  connect: ({ host, port }, signal) => network.connectFromNode(nodeName, host, port, signal),
  close: (connection) => connection.close(),
  get,
  checkHealth,
  async exec(command, signal) {
    if (container?.isRunning !== true) throw rpcError(CONTAINER_EXITED)
    const { write, text } = createCollector()
    try {
      const exitCode = await runCommand(container, { command, input: '', signal, write, writeError: write })
      return exitCode === undefined ? undefined : { exitCode, output: text() }
    } catch (error) {
      throw error instanceof ExecNotStarted ? rpcError(error.message) : error
    }
  },
})
