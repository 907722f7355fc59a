/** Sends requests to simulated programs as messages, and reads the responses. */
import { defined } from '#kit'
import type { HttpRequestContent, HttpResponseContent, ProgramMessage } from '#spec'
import { type Exchange, isStale, MAX_TEXT_BYTES, toRequestHead } from './exchange.ts'
import type { Lease, UserConnections } from './user-connections.ts'
import type { UserAnswer, UserRequest } from './user-request.ts'

/** The bytes of ` HTTP/1.1`, line breaks and separators. */
const LINE_BYTES = 13
const HEADER_BYTES = 4

const toMessage = (request: UserRequest): ProgramMessage => {
  const { method, origin, body } = request
  const { path, headers: given } = toRequestHead(request)
  const headers = { host: origin.slice(origin.indexOf('//') + 2), connection: 'keep-alive', ...given }
  const content: HttpRequestContent = { method, target: path, headers, ...defined({ body }) }
  let bytes = method.length + path.length + LINE_BYTES
  for (const [name, value] of Object.entries(headers)) bytes += name.length + value.length + HEADER_BYTES
  return { content, bytes: bytes + (body === undefined ? 0 : Buffer.byteLength(body)) }
}

/** A character takes at most three bytes for each unit of its length. */
const toText = (body: string): Pick<UserAnswer, 'text' | 'isTruncated'> => {
  if (body.length * 3 <= MAX_TEXT_BYTES) return { text: body, isTruncated: false }
  const bytes = Buffer.from(body)
  const isTruncated = bytes.length > MAX_TEXT_BYTES
  return { text: isTruncated ? bytes.subarray(0, MAX_TEXT_BYTES).toString() : body, isTruncated }
}

/** Rejects if the signal aborts, which also closes the connection. */
const exchangeOn = ({ connection }: Lease, message: ProgramMessage, signal: AbortSignal) =>
  new Promise<HttpResponseContent>((resolve, reject) => {
    const abort = (): void => {
      connection.close()
      reject(new Error('aborted'))
    }
    signal.addEventListener('abort', abort, { once: true })
    connection.exchange(message).then(({ content }) => resolve(content as HttpResponseContent), reject)
  })

export const createProgramExchange = (connectionsTo: (origin: string) => UserConnections): Exchange => {
  const exchange: Exchange = async (request, signal) => {
    const { origin, cookies } = request
    const connections = connectionsTo(origin)
    const lease = await connections.acquire(signal)
    let response: HttpResponseContent
    try {
      response = await exchangeOn(lease, toMessage(request), signal)
    } catch (error) {
      connections.discard(lease)
      const { isReused } = lease
      if (isStale(request, error as NodeJS.ErrnoException, { isReused, signal }))
        return exchange(request, signal)
      throw error
    }
    if (response.headers.connection === 'close') connections.discard(lease)
    else connections.release(lease)
    cookies.store(origin, response.cookies ?? [])
    return { status: response.status, headers: response.headers, ...toText(response.body) }
  }
  return exchange
}
