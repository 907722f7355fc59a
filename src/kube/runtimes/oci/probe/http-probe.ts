/** Whether a server answers a GET with success, asked as a kubelet asks. */
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ProbeAction, ProbeResult } from '../../../ports/index.ts'
import { dial, hostOf, MOST_OUTPUT, type ProbeTarget } from './probe-target.ts'

type HttpAction = Extract<ProbeAction['action'], { type: 'http' }>

const MOST_REDIRECTS = 10
const REDIRECTS = [301, 302, 303, 307, 308]

/** The words of Go's HTTP client when its time is over. */
const TIME_OVER = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
const TIME_OVER_IN_BODY =
  'context deadline exceeded (Client.Timeout or context cancellation while reading body)'

/** The answer began and broke off: such a probe has found nothing, neither good nor bad. */
class BrokenBody extends Error {}

interface Answer {
  status: number
  location: string | undefined
  body: string
}

const headersOf = (headers: HttpAction['headers']): Record<string, string | string[]> => {
  const byName: Record<string, string | string[]> = {
    'User-Agent': 'kube-probe/1.32',
    Accept: '*/*',
    Connection: 'close',
  }
  const given = new Set<string>()
  for (const { name, value } of headers) {
    const known = Object.keys(byName).find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
    const before = given.has(known) ? [byName[known] ?? []].flat() : []
    byName[known] = before.length === 0 ? value : [...before, value]
    given.add(known)
  }
  return byName
}

/** What broke off the exchange before there was an answer, in the words of Go. */
const brokenText = ({ code, message }: NodeJS.ErrnoException): string => {
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return 'http: server gave HTTP response to HTTPS client'
  return message
}

const secure = (socket: Socket, servername: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // As a kubelet does: a probe asks whether the server is well, not who it is.
    const named = /[a-z]/i.test(servername) ? { servername } : {}
    const secured = connectTls({ socket, rejectUnauthorized: false, ...named }, () => resolve(secured))
    secured.on('error', (error) => reject(new Error(brokenText(error))))
    socket.once('close', () => reject(new Error('EOF')))
  })

const readBody = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = (): void => {
      response.destroy()
      resolve(Buffer.concat(chunks).subarray(0, MOST_OUTPUT).toString('utf8'))
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MOST_OUTPUT) finish()
    })
    response.once('end', finish)
    response.once('error', reject)
  })

const exchange = (socket: Socket, url: URL, headers: HttpAction['headers']): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({
      createConnection: () => socket,
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, ...headersOf(headers) },
    })
      .once('response', resolve)
      .on('error', (error) => reject(new Error(brokenText(error))))
      // Without a word of either where the server wants to speak another protocol from now on.
      .once('close', () => reject(new Error('EOF')))
      .end()
  })

/** One request and its answer. Rejects with the text after the URL. */
const get = async (
  target: ProbeTarget,
  url: URL,
  headers: HttpAction['headers'],
  signal: AbortSignal,
): Promise<Answer> => {
  let begun = false
  let socket: Socket | undefined
  const abort = (): unknown => socket?.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    socket = await dial(target, { host: url.hostname, port }, signal)
    const stream = url.protocol === 'https:' ? await secure(socket, url.hostname) : socket
    const response = await exchange(stream, url, headers)
    begun = true
    const body = await readBody(response)
    return { status: response.statusCode ?? 0, location: response.headers.location, body }
  } catch (error) {
    if (begun) throw new BrokenBody(signal.aborted ? TIME_OVER_IN_BODY : (error as Error).message)
    throw signal.aborted ? new Error(TIME_OVER) : error
  } finally {
    signal.removeEventListener('abort', abort)
    socket?.destroy()
  }
}

/** As the URL stands in messages: with the port, though it may be the usual one. */
const toText = ({ scheme, port, path }: HttpAction, host: string): string =>
  `${scheme.toLowerCase()}://${host}:${port}${path.startsWith('/') ? '' : '/'}${path}`

/** Rejects where the answer broke off. */
export const probeHttp = async (
  target: ProbeTarget,
  action: HttpAction,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  let shown = toText(action, hostOf(target, action.host))
  const first = new URL(shown)
  let url = first
  for (let redirects = 0; redirects < MOST_REDIRECTS; redirects += 1) {
    try {
      const { status, location, body } = await get(target, url, action.headers, signal)
      const next =
        location !== undefined && REDIRECTS.includes(status) && URL.canParse(location, url.href)
          ? new URL(location, url)
          : undefined
      if (next?.hostname !== first.hostname) {
        // To another host it is not followed, and counts as an answer.
        return status >= 200 && status < 400
          ? { ok: true, output: body }
          : { ok: false, output: `HTTP probe failed with statuscode: ${status}` }
      }
      url = next
      shown = next.href
    } catch (error) {
      if (error instanceof BrokenBody) throw error
      return { ok: false, output: `Get "${shown}": ${(error as Error).message}` }
    }
  }
  return { ok: false, output: `Get "${shown}": stopped after ${MOST_REDIRECTS} redirects` }
}
