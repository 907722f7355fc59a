/** One WebSocket connection of the server: messages of OpenEnv on /ws, JSON-RPC on /mcp. It has a session of its own. */

import type { WebSocket } from 'ws'
import { isPlainObject } from '#kit'
import { RemediumError, toRemediumError } from '#spec'
import { handleRpc, type McpSessions, parseErrorReply } from './mcp.ts'
import type { ServedSession } from './served-session.ts'
import { createTokenBucket } from './token-bucket.ts'

const MESSAGES_PER_SECOND = 500
/** A client with more unanswered messages violates the protocol. */
const MAX_PENDING = 32
/** After this many invalid messages in a row, the connection is closed. */
const MAX_INVALID = 20
/** A client that does not read its replies is cut off. */
const MAX_UNREAD_BYTES = 32_000_000
const POLICY_VIOLATION = 1008

export interface ConnectionOptions {
  readonly socket: WebSocket
  readonly protocol: 'openenv' | 'mcp'
  /** Opens the session of the connection. `onEnd` is called when it ends. */
  open(onEnd: (reason: string) => void): ServedSession
  now(): number
}

const errorReply = (message: string, code: string, more: object = {}) => ({
  type: 'error',
  data: { message, code, ...more },
})

const toErrorReply = (thrown: unknown): object => {
  const { code, message, hint } = toRemediumError(thrown)
  return errorReply(hint === undefined ? message : `${message} ${hint}`, 'EXECUTION_ERROR', { error: code })
}

/** The only session that messages of a connection can use. */
const ownSession = (session: ServedSession): McpSessions => ({
  find: () => session,
  open: () => session,
  close: async () => false,
})

const performMessage = async (message: unknown, session: ServedSession): Promise<object | 'close'> => {
  if (!isPlainObject(message)) return errorReply('The message is not an object.', 'VALIDATION_ERROR')
  const { type, data } = message
  if (type === 'reset') return { type: 'observation', data: await session.reset(data ?? {}) }
  if (type === 'step') return { type: 'observation', data: await session.step(data) }
  if (type === 'state') return { type: 'state', data: session.state() }
  if (type === 'mcp') return { type: 'mcp', data: (await handleRpc(data, ownSession(session))) ?? {} }
  if (type === 'close') return 'close'
  return errorReply(`There is no message type "${String(type).slice(0, 100)}".`, 'UNKNOWN_TYPE')
}

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const openSession = ({ socket, protocol, open }: ConnectionOptions): ServedSession | undefined => {
  try {
    return open((reason) => {
      if (reason !== 'idle') return
      socket.send(JSON.stringify(errorReply('The session was idle for too long.', 'SESSION_ERROR')))
      socket.close(POLICY_VIOLATION, 'idle')
    })
  } catch (thrown) {
    if (!(thrown instanceof RemediumError)) throw thrown
    const { message } = thrown
    const reply =
      protocol === 'openenv'
        ? errorReply(message, 'CAPACITY_REACHED')
        : { jsonrpc: '2.0', id: null, error: { code: -32000, message } }
    socket.send(JSON.stringify(reply))
    socket.close(1013, 'all sessions are taken')
    return undefined
  }
}

export const serveWebSocket = (options: ConnectionOptions): void => {
  const { socket, protocol, now } = options
  socket.on('error', () => {})
  const session = openSession(options)
  if (session === undefined) return
  const bucket = createTokenBucket(MESSAGES_PER_SECOND, now)
  let pending = 0
  let invalid = 0
  let work: Promise<void> = Promise.resolve()
  const cutOff = (reason: string): void => {
    socket.close(POLICY_VIOLATION, reason)
    void session.close().catch(() => {})
  }
  const send = (reply: object | undefined): void => {
    if (reply !== undefined) socket.send(JSON.stringify(reply))
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
  }
  const perform = async (text: string): Promise<void> => {
    if (socket.readyState !== socket.OPEN) return
    const parsed = parse(text)
    if (parsed === undefined) {
      send(protocol === 'mcp' ? parseErrorReply : errorReply('The message is not JSON.', 'INVALID_JSON'))
      invalid += 1
      if (invalid > MAX_INVALID) cutOff('too many invalid messages')
      return
    }
    invalid = 0
    if (protocol === 'mcp') return send(await handleRpc(parsed.value, ownSession(session)))
    const reply = await performMessage(parsed.value, session).catch(toErrorReply)
    if (reply === 'close') socket.close(1000)
    else send(reply)
  }
  socket.on('message', (data) => {
    pending += 1
    if (pending > MAX_PENDING || !bucket.take()) return cutOff('too many messages')
    work = work
      .then(() => perform(String(data)))
      .catch(() => socket.terminate())
      .finally(() => {
        pending -= 1
      })
  })
  socket.on('close', () => void session.close().catch(() => {}))
}
