/** HTTP messages between simulated programs. Messages of the twin contain the body as a value, so that it need not be encoded. */
import type { HttpRequestContent, HttpResponseContent, ProgramMessage } from '#spec'
import type { Headers } from '#world/twin/ports'
import { EMPTY_PAYLOAD, HttpPayload } from './http-payload.ts'

/** The bytes of ` HTTP/1.1`, the length of the body, line breaks and separators. */
const HEAD_BYTES = 40
const HEADER_BYTES = 4

export class SimulatedRequest implements HttpRequestContent {
  readonly method: string
  readonly target: string
  readonly headers: Headers
  readonly payload: HttpPayload | undefined

  constructor(method: string, target: string, headers: Headers, payload: HttpPayload | undefined) {
    this.method = method
    this.target = target
    this.headers = headers
    this.payload = payload
  }

  get body(): string {
    return this.payload?.text ?? ''
  }
}

export class SimulatedResponse implements HttpResponseContent {
  readonly status: number
  readonly headers: Headers
  readonly cookies: readonly string[]
  readonly payload: HttpPayload

  constructor(status: number, headers: Headers, cookies: readonly string[], payload: HttpPayload) {
    this.status = status
    this.headers = headers
    this.cookies = cookies
    this.payload = payload
  }

  get body(): string {
    return this.payload.text
  }
}

const headBytes = (headers: Headers): number => {
  let bytes = HEAD_BYTES
  for (const name in headers) bytes += name.length + headers[name]!.length + HEADER_BYTES
  return bytes
}

export const toRequestMessage = (content: SimulatedRequest): ProgramMessage => ({
  content,
  bytes: headBytes(content.headers) + content.target.length + (content.payload?.bytes ?? 0),
})

export const toResponseMessage = (content: SimulatedResponse): ProgramMessage => ({
  content,
  bytes: headBytes(content.headers) + content.payload.bytes,
})

export const isHttpRequest = (content: unknown): content is HttpRequestContent =>
  content instanceof SimulatedRequest ||
  (typeof content === 'object' && content !== null && 'target' in content && 'method' in content)

export const isHttpResponse = (content: unknown): content is HttpResponseContent =>
  content instanceof SimulatedResponse ||
  (typeof content === 'object' && content !== null && 'status' in content && 'body' in content)

/** The body of a message, including messages of programs other than the twin. */
export const payloadOf = (content: HttpRequestContent | HttpResponseContent): HttpPayload => {
  if (content instanceof SimulatedRequest) return content.payload ?? EMPTY_PAYLOAD
  if (content instanceof SimulatedResponse) return content.payload
  return content.body === undefined ? EMPTY_PAYLOAD : HttpPayload.ofText(content.body)
}
