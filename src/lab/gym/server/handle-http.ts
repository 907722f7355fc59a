/** Handles the HTTP requests of the server. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPlainObject } from '#kit'
import { RemediumError, toRemediumError } from '#spec'
import type { Gym } from '../create-gym.ts'
import type { HttpSessions } from './http-sessions.ts'
import { handleRpc, parseErrorReply } from './mcp.ts'
import { toMetadata, toSchemas } from './schemas.ts'

/** Enough for the longest playbook, escaped. */
export const MAX_BODY_BYTES = 4_000_000

export interface HttpContext {
  readonly gym: Gym
  readonly sessions: HttpSessions
}

class HttpError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new HttpError(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parseObject = (text: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    throw new HttpError(400, 'The body is not JSON.')
  }
  if (isPlainObject(value)) return value
  throw new HttpError(422, 'The body is not an object.')
}

const sessionIdOf = (request: IncomingMessage, url: URL, body: Record<string, unknown> = {}): unknown =>
  request.headers['x-session-id'] ?? body.session_id ?? url.searchParams.get('session_id') ?? undefined

type Handler = (request: IncomingMessage, url: URL, context: HttpContext) => Promise<object | undefined>

const handlePost: Readonly<Record<string, Handler>> = {
  async '/reset'(request, url, { sessions }) {
    const { session_id: _, ...data } = parseObject(await readBody(request))
    const id = sessionIdOf(request, url, { session_id: _ })
    const session = id === undefined ? sessions.open() : sessions.get(id)
    try {
      return { ...(await session.reset(data)), session_id: session.id }
    } catch (error) {
      if (id === undefined) await session.close().catch(() => {})
      throw error
    }
  },
  async '/step'(request, url, { sessions }) {
    const body = parseObject(await readBody(request))
    const session = sessions.get(sessionIdOf(request, url, body))
    if (!('action' in body)) throw new HttpError(422, 'The body lacks the field "action".')
    return { ...(await session.step(body.action)), session_id: session.id }
  },
  async '/close'(request, url, { sessions }) {
    const body = parseObject(await readBody(request))
    const session = sessions.get(sessionIdOf(request, url, body))
    await session.close()
    return { session_id: session.id, closed: true }
  },
  async '/mcp'(request, url, { sessions }) {
    const text = await readBody(request)
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return parseErrorReply
    }
    const connection = sessions.find(sessionIdOf(request, url))
    return handleRpc(body, { ...sessions, find: (id) => sessions.find(id) ?? connection })
  },
}

const handleGet: Readonly<Record<string, Handler>> = {
  '/health': async () => ({ status: 'healthy' }),
  '/schema': async () => toSchemas(),
  '/metadata': async (_request, _url, { gym }) => toMetadata(gym),
  '/state': async (request, url, { sessions }) => sessions.get(sessionIdOf(request, url)).state(),
  '/problems': async (_request, _url, { gym }) => ({
    problems: gym.problems
      .values()
      .map(({ id, system, task, budget }) => ({ id, system, task, budget }))
      .toArray(),
  }),
}

const findHandler = ({ method = '' }: IncomingMessage, path: string): Handler => {
  const all = method === 'POST' ? handlePost : method === 'GET' ? handleGet : {}
  if (Object.hasOwn(all, path)) return all[path as keyof typeof all]!
  const isKnown = Object.hasOwn(handlePost, path) || Object.hasOwn(handleGet, path)
  throw isKnown
    ? new HttpError(405, `${path} has no method ${method}.`)
    : new HttpError(404, 'There is no such path.')
}

const statusOf = (error: unknown): number => {
  if (error instanceof HttpError) return error.status
  if (!(error instanceof RemediumError) || error.code !== 'bad-argument') return 500
  return error.message.startsWith('All ') ? 503 : 400
}

const toErrorBody = (error: unknown) => {
  if (error instanceof HttpError) return { detail: error.message }
  const { code, message, hint } = toRemediumError(error)
  return { detail: hint === undefined ? message : `${message} ${hint}`, code }
}

/** Never rejects. */
export const handleHttp = async (
  request: IncomingMessage,
  response: ServerResponse,
  context: HttpContext,
): Promise<void> => {
  const reply = (status: number, body: object | undefined): void => {
    if (response.destroyed) return
    const text = body === undefined ? '' : JSON.stringify(body)
    // The rest of a body that was not read would be taken for the next request.
    const connection = request.complete ? {} : { connection: 'close' }
    response.writeHead(status, { 'content-type': 'application/json', ...connection }).end(text)
  }
  try {
    const url = new URL(request.url ?? '/', 'http://gym')
    const body = await findHandler(request, url.pathname)(request, url, context)
    reply(body === undefined ? 202 : 200, body)
  } catch (error) {
    reply(statusOf(error), toErrorBody(error))
  }
}
