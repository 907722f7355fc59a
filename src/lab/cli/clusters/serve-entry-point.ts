/** Serves an entry point of a simulated system over HTTP on the loopback address. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { EngineCluster, HttpRequestContent, HttpResponseContent, ProgramConnection } from '#spec'

const MAX_BODY_BYTES = 8 * 1024 * 1024
/** The size of the head of a request, of which only the order of magnitude matters. */
const HEAD_BYTES = 200

export interface ServedEntryPoint {
  readonly url: string
  close(): void
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const toHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

const send = (response: ServerResponse, { status, headers, cookies, body }: HttpResponseContent): void => {
  const bytes = Buffer.from(body)
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...others } = headers
  response.writeHead(status, {
    ...others,
    ...(cookies === undefined ? {} : { 'set-cookie': [...cookies] }),
    'content-length': bytes.length,
  })
  response.end(bytes)
}

/** A connection of a client is one connection in the cluster, so that connections stay with a pod as they do on a real cluster. */
const createConnections = (connect: () => Promise<ProgramConnection>) => {
  const open = new Map<Socket, Promise<ProgramConnection>>()
  return (socket: Socket): Promise<ProgramConnection> => {
    const found = open.get(socket)
    if (found !== undefined) return found
    const connecting = connect()
    open.set(socket, connecting)
    const forget = (): void => void open.delete(socket)
    connecting.then((connection) => {
      socket.once('close', () => connection.close())
      connection.onClose(() => {
        forget()
        socket.destroySoon()
      })
    }, forget)
    socket.once('close', forget)
    return connecting
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

/** A refused or broken connection of the cluster ends the connection of the client. */
export const serveEntryPoint = async (
  { connectUser }: Required<Pick<EngineCluster, 'connectUser'>>,
  { name, url }: EngineCluster['entryPoints'][number],
): Promise<ServedEntryPoint> => {
  const connectionOf = createConnections(() => connectUser(name))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const connection = await connectionOf(request.socket)
    const content: HttpRequestContent = {
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      headers: toHeaders(request),
      ...(body === '' ? {} : { body }),
    }
    const reply = await connection.exchange({ content, bytes: HEAD_BYTES + body.length })
    send(response, reply.content as HttpResponseContent)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}${new URL(url).pathname}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
