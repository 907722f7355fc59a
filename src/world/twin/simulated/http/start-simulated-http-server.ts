/** The HTTP server of a simulated program: it answers like `startHttpServer`, on the network of its host. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { HttpRequestContent, ProgramHost, ProgramMessage } from '#spec'
import type {
  Headers,
  IncomingRequest,
  ListeningServer,
  OutgoingAnswer,
  ServeOptions,
} from '#world/twin/ports'
import { bodyTypeOf, HTTP_GRACE_MS, INTERNAL_ERROR, MAX_BODY_BYTES, parseQuery } from '#world/twin/protocols'
import { serveConnections } from '../wire/server-connections.ts'
import { isHttpRequest, payloadOf, SimulatedResponse, toResponseMessage } from './http-content.ts'
import { EMPTY_PAYLOAD, HttpPayload } from './http-payload.ts'

/** The body is parsed on first access, because proxies do not need it. */
class SimulatedIncomingRequest implements IncomingRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  readonly from: string
  readonly raw: NonNullable<IncomingRequest['raw']>
  readonly #payload: HttpPayload
  #body: { readonly value: unknown } | undefined

  constructor(content: HttpRequestContent, payload: HttpPayload, from: string) {
    const { method, target, headers } = content
    const queryStart = target.indexOf('?')
    this.method = method
    this.path = queryStart < 0 ? target : target.slice(0, queryStart)
    this.query = queryStart < 0 ? {} : parseQuery(target.slice(queryStart + 1))
    this.headers = headers
    this.from = from
    this.#payload = payload
    this.raw = {
      target,
      get body() {
        return payload.raw
      },
    }
  }

  get body(): unknown {
    this.#body ??= { value: this.#payload.parse(this.headers['content-type']) }
    return this.#body.value
  }
}

const toPayload = ({ raw, body }: OutgoingAnswer): HttpPayload => {
  if (raw !== undefined) return HttpPayload.ofBytes(raw)
  return typeof body === 'string' ? HttpPayload.ofText(body) : HttpPayload.ofJson(body)
}

const toStatus = (status: number): number => {
  const whole = status | 0
  if (whole < 100 || whole > 999) throw new RangeError(`Invalid status code: ${status}`)
  return whole
}

/** Omits the headers about the connection, the date and the length, which no program reads. */
const toHeaders = ({ headers = {}, raw, body }: OutgoingAnswer, closes: boolean): Record<string, string> => {
  const sent: Record<string, string> = {}
  for (const name in headers) {
    validateHeaderName(name)
    validateHeaderValue(name, headers[name]!)
    sent[name.toLowerCase()] = String(headers[name])
  }
  if (raw === undefined) sent['content-type'] ??= bodyTypeOf(body)
  if (closes) sent.connection = 'close'
  return sent
}

const toResponse = (answer: OutgoingAnswer, method: string, closes: boolean): SimulatedResponse => {
  const status = toStatus(answer.status)
  const { 'set-cookie': cookie, ...headers } = toHeaders(answer, closes)
  const hasNoBody = status === 204 || status === 304 || method === 'HEAD'
  const payload = hasNoBody ? EMPTY_PAYLOAD : toPayload(answer)
  return new SimulatedResponse(status, headers, cookie === undefined ? [] : [cookie], payload)
}

/** Answers 500 if HTTP cannot encode a header, the status or the body. */
const toSafeResponse = (answer: OutgoingAnswer, method: string, closes: boolean): SimulatedResponse => {
  try {
    return toResponse(answer, method, closes)
  } catch {
    return toResponse(INTERNAL_ERROR, method, closes)
  }
}

const TOO_LARGE: OutgoingAnswer = { status: 413, body: { error: 'the body is too large' } }

export const startSimulatedHttpServer = async (
  host: Pick<ProgramHost, 'network' | 'time'>,
  { port, handler }: ServeOptions,
  slowMs?: number,
): Promise<ListeningServer> =>
  serveConnections({
    host,
    port,
    defaultGraceMs: HTTP_GRACE_MS,
    slowMs,
    closesIdle: true,
    accept:
      ({ from }, { isClosing }) =>
      async ({ content }: ProgramMessage) => {
        if (!isHttpRequest(content)) throw new Error('the request is not HTTP')
        const payload = payloadOf(content)
        const answer =
          payload.bytes > MAX_BODY_BYTES
            ? TOO_LARGE
            : await handler(new SimulatedIncomingRequest(content, payload, from))
        return toResponseMessage(toSafeResponse(answer, content.method, isClosing()))
      },
  })
