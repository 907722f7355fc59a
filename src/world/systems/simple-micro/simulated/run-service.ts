/** A service of Simple-Micro: answers requests, and records them in metrics, spans and a file. */
import type { HttpRequestContent, HttpResponseContent, ProgramHost, ProgramMessage } from '#spec'
import { fetchTime } from './fetch-time.ts'
import { toPythonMessage } from './python-error.ts'
import type { PythonService } from './read-python-file.ts'
import type { ReleaseBehaviour } from './release-behaviour.ts'
import { RequestFile } from './request-file.ts'
import { serveOneByOne } from './serve-one-by-one.ts'
import { ServiceTelemetry, type TraceContext } from './service-telemetry.ts'

/** The CPU time of a request, and of a call to another service. */
const REQUEST_CPU_MS = 0.4
const CALL_CPU_MS = 0.3
/** The status line and the headers of a response. */
const HEAD_BYTES = 80

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

const PLAIN = 'text/plain'
const JSON_TYPE = 'application/json'
const NOT_FOUND: Answer = { status: 404, type: PLAIN, body: '' }
const FAILED: Answer = { status: 500, type: JSON_TYPE, body: '{"error": "Internal Server Error"}' }

const toMessage = ({ status, type, body }: Answer): ProgramMessage => {
  const bytes = Buffer.byteLength(body)
  const headers = { 'content-type': type, 'content-length': String(bytes), connection: 'close' }
  const content: HttpResponseContent = { status, headers, body }
  return { content, bytes: HEAD_BYTES + bytes }
}

const isRequest = (content: unknown): content is HttpRequestContent =>
  typeof content === 'object' && content !== null && 'target' in content && 'method' in content

/** As `isoformat` of Python, with microseconds unless they are 0. */
const toIsoTime = (now: number): string => {
  const micros = Math.floor(now * 1000) % 1_000_000
  const seconds = new Date(Math.floor(now / 1000) * 1000).toISOString().slice(0, 19)
  return `${seconds}${micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`}Z`
}

class Service {
  readonly #host: ProgramHost
  readonly #service: PythonService
  readonly #release: ReleaseBehaviour
  readonly #telemetry: ServiceTelemetry
  readonly #requests: RequestFile

  constructor(host: ProgramHost, service: PythonService, release: ReleaseBehaviour) {
    this.#host = host
    this.#service = service
    this.#release = release
    this.#telemetry = new ServiceTelemetry(host, service.kind)
    this.#requests = new RequestFile(host.files)
  }

  readonly respond = async ({ content }: ProgramMessage): Promise<ProgramMessage | undefined> => {
    if (!isRequest(content)) return undefined
    const start = this.#host.time.now()
    await this.#host.cpu.use(REQUEST_CPU_MS)
    const { method, headers } = content
    const path = content.target.split('?')[0]!
    if (path === '/metrics')
      return toMessage({ status: 200, type: 'text/plain; version=0.0.4', body: this.#telemetry.text() })
    const [, traceId = '', parentId, flags] = (headers.traceparent ?? '').split('-')
    const isTraced = traceId.length === 32 && flags !== undefined
    const context: TraceContext = {
      traceId: isTraced ? traceId : this.#telemetry.createId(32),
      spanId: this.#telemetry.createId(16),
    }
    const { answer, failure } = await this.#handle(method, path, context)
    const isProbe = headers['user-agent']?.startsWith('kube-probe') === true
    if (!isProbe)
      await this.#requests.write(`${(start / 1000).toFixed(3)} ${method} ${path} ${answer.status}`)
    const endpoint = `${method} ${answer.status === 404 ? '*' : path}`
    this.#telemetry.count({
      counter: 'requests_served_total',
      histogram: 'request_duration_seconds',
      labels: { endpoint },
      outcome: { status: answer.status },
      seconds: (this.#host.time.now() - start) / 1000,
    })
    if (!isProbe)
      this.#telemetry.exportSpan({
        context,
        parentId: isTraced ? parentId : undefined,
        name: endpoint,
        kind: 'server',
        start,
        failure: failure ?? (answer.status >= 500 ? `HTTP ${answer.status}` : undefined),
        attributes: { 'http.response.status_code': answer.status },
      })
    return toMessage(answer)
  }

  async #handle(
    method: string,
    path: string,
    context: TraceContext,
  ): Promise<{ readonly answer: Answer; readonly failure?: string }> {
    try {
      return { answer: await this.#answer(method, path, context) }
    } catch (error) {
      const failure = toPythonMessage(error)
      this.#host.write(`[ERROR] ${method} ${path}: ${failure}\n`)
      return { answer: FAILED, failure }
    }
  }

  async #answer(method: string, path: string, context: TraceContext): Promise<Answer> {
    if (this.#service.kind === 'time-service')
      return method === 'GET' && path === '/time' ? this.#answerTime() : NOT_FOUND
    if (method !== 'GET') return NOT_FOUND
    if (path === '/healthz') return { status: 200, type: PLAIN, body: 'OK' }
    return path === '/hello' ? this.#answerHello(this.#service, context) : NOT_FOUND
  }

  #answerTime(): Answer {
    return { status: 200, type: JSON_TYPE, body: this.#encode({ time: toIsoTime(this.#host.time.now()) }) }
  }

  async #answerHello(
    service: Extract<PythonService, { readonly kind: 'hello-service' }>,
    parent: TraceContext,
  ): Promise<Answer> {
    const context = { traceId: parent.traceId, spanId: this.#telemetry.createId(16) }
    const start = this.#host.time.now()
    let answer: Readonly<Record<string, string>>
    let failure: string | undefined
    try {
      await this.#host.cpu.use(CALL_CPU_MS)
      answer = { msg: 'Hello', time: await fetchTime(this.#host, service, context) }
    } catch (error) {
      failure = toPythonMessage(error)
      this.#host.write(`[ERROR] Failed to call time-service: ${failure}\n`)
      answer = { error: failure }
    }
    const peer = service.peer.host
    this.#telemetry.count({
      counter: 'calls_total',
      histogram: 'call_duration_seconds',
      labels: { peer, operation: 'GET /time' },
      outcome: { outcome: failure === undefined ? 'ok' : 'error' },
      seconds: (this.#host.time.now() - start) / 1000,
    })
    this.#telemetry.exportSpan({
      context,
      parentId: parent.spanId,
      name: 'GET /time',
      kind: 'client',
      start,
      failure,
      peer,
    })
    return { status: failure === undefined ? 200 : 500, type: JSON_TYPE, body: this.#encode(answer) }
  }

  /** As `json.dumps`. */
  #encode(value: Readonly<Record<string, string>>): string {
    if (this.#release.failsToEncodeTime && 'time' in value)
      throw new TypeError('Object of type str is not JSON serializable')
    const parts = Object.entries(value).map(([name, text]) => `"${name}": ${JSON.stringify(text)}`)
    return `{${parts.join(', ')}}`
  }
}

/** Listens until the program ends. Throws an error of code `EADDRINUSE` if the port is in use. */
export const runService = (host: ProgramHost, service: PythonService, release: ReleaseBehaviour): void => {
  const { respond } = new Service(host, service, release)
  const port = service.port + release.portOffset
  serveOneByOne(host, { port, respond, beforeRequest: () => release.beforeRequest(host) })
  host.write(`${service.kind} listens on port ${port}\n`)
}
