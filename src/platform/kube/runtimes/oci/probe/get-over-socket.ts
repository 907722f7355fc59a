/** Sends the HTTP GET of a probe over a socket. */
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  BrokenBody,
  connectionErrorText,
  type HttpHeader,
  type HttpProbeResponse,
  MAX_PROBE_OUTPUT,
  PROBE_USER_AGENT,
} from '#platform/kube/containers'

const headersOf = (headers: readonly HttpHeader[]): Record<string, string | string[]> => {
  const byName: Record<string, string | string[]> = {
    'User-Agent': PROBE_USER_AGENT,
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
      resolve(Buffer.concat(chunks).subarray(0, MAX_PROBE_OUTPUT).toString('utf8'))
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_PROBE_OUTPUT) finish()
    })
    response.once('end', finish)
    response.once('error', reject)
  })

const sendRequest = (socket: Socket, url: URL, headers: readonly HttpHeader[]): Promise<IncomingMessage> =>
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

/** Rejects with Go's message; with BrokenBody if the response breaks off after its headers. */
export const getOverSocket = async (
  socket: Socket,
  url: URL,
  headers: readonly HttpHeader[],
): Promise<HttpProbeResponse> => {
  const stream = url.protocol === 'https:' ? await startTls(socket, url.hostname) : socket
  const response = await sendRequest(stream, url, headers)
  try {
    const body = await readBody(response)
    return { status: response.statusCode ?? 0, location: response.headers.location, body }
  } catch (error) {
    throw new BrokenBody((error as Error).message)
  }
}
