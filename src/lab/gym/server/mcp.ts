/** The Model Context Protocol of the server: the actions of an episode as tools, over JSON-RPC 2.0. */
import { z } from 'zod'
import { toRemediumError } from '#spec'
import { listActions } from './schemas.ts'
import type { OpenEnvResult, ServedSession } from './served-session.ts'

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string().max(200),
  params: z.record(z.string(), z.unknown()).default({}),
  id: z.union([z.string().max(200), z.number(), z.null()]).optional(),
})

type Parameters = Readonly<Record<string, unknown>>
export type RpcId = string | number | null

const ERRORS = { parse: -32700, invalid: -32600, method: -32601, params: -32602, server: -32000 } as const

class RpcError extends Error {
  readonly code: number
  constructor(kind: keyof typeof ERRORS, message: string) {
    super(message)
    this.code = ERRORS[kind]
  }
}

/** Finds, opens and closes the sessions that requests use. */
export interface McpSessions {
  /** The session of the connection, or the one with this id; undefined if there is none. */
  find(id: unknown): ServedSession | undefined
  open(): ServedSession
  close(id: string): Promise<boolean>
}

const PROTOCOL_VERSION = '2025-06-18'

const START_TOOL = {
  name: 'start_episode',
  description:
    'Starts an episode and returns its briefing: the task, the system, the report and the budget. Call it before all other tools.',
  inputSchema: {
    type: 'object',
    properties: { seed: { type: 'integer', description: 'The same seed starts the same episode.' } },
  },
}

const listTools = () => [
  START_TOOL,
  ...listActions().map(({ name, about, input }) => ({ name, description: about, inputSchema: input })),
]

const toToolResult = ({ observation, reward, done }: OpenEnvResult) => {
  const { ok, text } = observation as { ok: boolean; text: string }
  return { content: [{ type: 'text', text }], isError: !ok, structuredContent: { reward, done } }
}

const callTool = async (session: ServedSession, { name, arguments: input = {} }: Parameters) => {
  if (typeof name !== 'string') throw new RpcError('params', 'The parameter "name" is missing.')
  if (name === START_TOOL.name) return toToolResult(await session.reset(input))
  if (!session.isPlaying)
    throw new RpcError('params', 'There is no running episode. Call start_episode first.')
  return toToolResult(await session.step({ name, input }))
}

const initialize = ({ protocolVersion }: Parameters) => ({
  protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : PROTOCOL_VERSION,
  capabilities: { tools: {} },
  serverInfo: { name: 'remedium', version: '1' },
  instructions: 'Call start_episode, solve the task of its briefing with the other tools, and call submit.',
})

const closeSession = async ({ session_id: id }: Parameters, sessions: McpSessions) => {
  if (typeof id === 'string' && (await sessions.close(id))) return { session_id: id, closed: true }
  throw new RpcError('params', 'There is no session with this session_id.')
}

const perform = async (method: string, params: Parameters, sessions: McpSessions): Promise<object> => {
  if (method === 'initialize') return initialize(params)
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools: listTools() }
  if (method === 'openenv/session/create')
    return { session_id: (sessions.find(undefined) ?? sessions.open()).id }
  if (method === 'openenv/session/close') return closeSession(params, sessions)
  if (method !== 'tools/call') throw new RpcError('method', `There is no method "${method}".`)
  const session = sessions.find(params.session_id)
  if (session === undefined)
    throw new RpcError('params', 'There is no session. Call openenv/session/create, and pass its session_id.')
  return callTool(session, params)
}

const parseRequest = (body: unknown): z.infer<typeof Request> => {
  const parsed = Request.safeParse(body)
  if (parsed.success) return parsed.data
  throw new RpcError('invalid', 'The message is not a request of JSON-RPC 2.0.')
}

const toRpcError = (thrown: unknown) => {
  if (thrown instanceof RpcError) return { code: thrown.code, message: thrown.message }
  const { code, message, hint } = toRemediumError(thrown)
  return { code: ERRORS.server, message, data: { code, hint } }
}

export const parseErrorReply = {
  jsonrpc: '2.0',
  id: null,
  error: { code: ERRORS.parse, message: 'The message is not JSON.' },
}

/** Never rejects. Returns undefined for a notification, which has no reply. */
export const handleRpc = async (body: unknown, sessions: McpSessions): Promise<object | undefined> => {
  let id: RpcId = null
  try {
    const request = parseRequest(body)
    id = request.id ?? null
    if (request.id === undefined && request.method.startsWith('notifications/')) return undefined
    return { jsonrpc: '2.0', id, result: await perform(request.method, request.params, sessions) }
  } catch (thrown) {
    return { jsonrpc: '2.0', id, error: toRpcError(thrown) }
  }
}
