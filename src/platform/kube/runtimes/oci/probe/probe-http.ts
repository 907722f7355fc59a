/** Probes a server with an HTTP GET, as a kubelet does. */
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import { dial, hostOf, MAX_OUTPUT, type ProbeTarget } from './probe-target.ts'

type HttpAction = Extract<ProbeAction['action'], { type: 'http' }>

const MAX_REDIRECTS = 10
const REDIRECTS = [301, 302, 303, 307, 308]

/** The messages of Go's HTTP client for a timeout. */
const TIMEOUT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
const TIMEOUT_IN_BODY =
  'context deadline exceeded (Client.Timeout or context cancellation while reading body)'

/** The response broke off after its headers: the probe has no result. */
class BrokenBody extends Error {}

interface HttpResponse {
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
  const seen = new Set<string>()
  for (const { name, value } of headers) {
    const headerName = Object.keys(byName).find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
    const earlierValues = seen.has(headerName) ? [byName[headerName] ?? []].flat() : []
    byName[headerName] = earlierValues.length === 0 ? value : [...earlierValues, value]
    seen.add(headerName)
  }
  return byName
}

/** Go's message for a connection that broke before the response. */
const connectionErrorText = ({ code, message }: NodeJS.ErrnoException): string => {
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return 'http: server gave HTTP response to HTTPS client'
  return message
}

const startTls = (socket: Socket, hostname: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // A kubelet does not verify the certificates of probed servers.
    const nameOption = /[a-z]/i.test(hostname) ? { servername: hostname } : {}
    const secured = connectTls({ socket, rejectUnauthorized: false, ...nameOption }, () => resolve(secured))
    secured.on('error', (error) => reject(new Error(connectionErrorText(error))))
    socket.once('close', () => reject(new Error('EOF')))
  })

const readBody = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = (): void => {
      response.destroy()
      resolve(Buffer.concat(chunks).subarray(0, MAX_OUTPUT).toString('utf8'))
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_OUTPUT) finish()
    })
    response.once('end', finish)
    response.once('error', reject)
  })

const sendRequest = (socket: Socket, url: URL, headers: HttpAction['headers']): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({
      createConnection: () => socket,
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, ...headersOf(headers) },
    })
      .once('response', resolve)
      .on('error', (error) => reject(new Error(connectionErrorText(error))))
      // A protocol upgrade closes the request without a response or an error.
      .once('close', () => reject(new Error('EOF')))
      .end()
  })

/** Sends one request. Rejects with the part of Go's message that follows the URL. */
const get = async (
  target: ProbeTarget,
  url: URL,
  headers: HttpAction['headers'],
  signal: AbortSignal,
): Promise<HttpResponse> => {
  let hasHeaders = false
  let socket: Socket | undefined
  const abort = (): unknown => socket?.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    socket = await dial(target, { host: url.hostname, port }, signal)
    const stream = url.protocol === 'https:' ? await startTls(socket, url.hostname) : socket
    const response = await sendRequest(stream, url, headers)
    hasHeaders = true
    const body = await readBody(response)
    return { status: response.statusCode ?? 0, location: response.headers.location, body }
  } catch (error) {
    if (hasHeaders) throw new BrokenBody(signal.aborted ? TIMEOUT_IN_BODY : (error as Error).message)
    throw signal.aborted ? new Error(TIMEOUT) : error
  } finally {
    signal.removeEventListener('abort', abort)
    socket?.destroy()
  }
}

/** The URL in messages, always with the port. */
const toUrlText = ({ scheme, port, path }: HttpAction, host: string): string =>
  `${scheme.toLowerCase()}://${host}:${port}${path.startsWith('/') ? '' : '/'}${path}`

/** Rejects if the response breaks off after its headers. */
export const probeHttp = async (
  target: ProbeTarget,
  action: HttpAction,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  let displayedUrl = toUrlText(action, hostOf(target, action.host))
  const firstUrl = new URL(displayedUrl)
  let url = firstUrl
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
    try {
      const { status, location, body } = await get(target, url, action.headers, signal)
      const next =
        location !== undefined && REDIRECTS.includes(status) && URL.canParse(location, url.href)
          ? new URL(location, url)
          : undefined
      if (next?.hostname !== firstUrl.hostname) {
        // A redirect to another host is not followed and counts as success.
        return status >= 200 && status < 400
          ? { ok: true, output: body }
          : { ok: false, output: `HTTP probe failed with statuscode: ${status}` }
      }
      url = next
      displayedUrl = next.href
    } catch (error) {
      if (error instanceof BrokenBody) throw error
      return { ok: false, output: `Get "${displayedUrl}": ${(error as Error).message}` }
    }
  }
  return { ok: false, output: `Get "${displayedUrl}": stopped after ${MAX_REDIRECTS} redirects` }
}
