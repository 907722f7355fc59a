/** The HTTP client: keep-alive connections, optionally limited; each new one resolves the address. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import {
  CallFailure,
  type ClientOptions,
  type Headers,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
  toCallFailure,
} from '#world/twin/ports'
import { processTime } from '#world/twin/process'
import { createConnectionSlots } from '../connection-slots.ts'
import { parseBody, readBody, toBody } from './http-body.ts'
import { HTTP_CLIENT_IDLE_MS, isIdempotent } from './http-rules.ts'

const createAgent = ({ address }: ClientOptions): Agent => {
  const agent = new Agent({ keepAlive: true, timeout: HTTP_CLIENT_IDLE_MS })
  // Pods have IPv4 addresses only: IPv6 lookups would double the DNS queries.
  const openSocket = async (): Promise<Socket> => {
    const { host, port } = await address()
    return connect({ host, port, family: 4, autoSelectFamily: false, noDelay: true })
  }
  agent.createConnection = (_options, callback) => {
    openSocket().then(
      (socket) => callback!(null, socket),
      (error) => callback!(error, undefined as never),
    )
    return undefined as never
  }
  return agent
}

const toHeaders = (message: IncomingMessage): Headers => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value!
  return headers
}

const toAnswer = (message: IncomingMessage, raw: Buffer): ServiceAnswer => ({
  status: message.statusCode ?? 0,
  headers: toHeaders(message),
  raw,
  get body() {
    return parseBody(raw, message.headers['content-type'])
  },
})

const bodyOf = (call: ServiceCall): { content?: Buffer | string; type?: string } => {
  if (call.raw !== undefined) return { content: call.raw }
  return call.body === undefined ? {} : toBody(call.body)
}

const sendRequest = (call: ServiceCall, agent: Agent): ClientRequest => {
  const { content, type } = bodyOf(call)
  const headers: Record<string, string | number> = { ...call.headers }
  if (type !== undefined && headers['content-type'] === undefined) headers['content-type'] = type
  if (content !== undefined && (content.length > 0 || !isIdempotent(call.method)))
    headers['content-length'] = Buffer.byteLength(content)
  const outgoing = request({
    agent,
    method: call.method,
    path: call.target,
    headers,
    setHost: headers.host === undefined,
  })
  outgoing.end(content)
  return outgoing
}

/** `reused` is true if the attempt failed on a reused connection, which the server may have closed. */
interface Attempt {
  readonly answer?: ServiceAnswer
  readonly failure?: CallFailure
  readonly reused: boolean
}

const attemptCall = (call: ServiceCall, agent: Agent, deadline: number | undefined): Promise<Attempt> =>
  new Promise((resolve) => {
    const outgoing = sendRequest(call, agent)
    const settle = (outcome: Omit<Attempt, 'reused'>, isSocketError = false): void => {
      clearTimeout(timer)
      resolve({ ...outcome, reused: isSocketError && outgoing.reusedSocket })
    }
    const onTimeout = (): void => {
      settle({ failure: new CallFailure('timeout', `no answer within ${call.timeoutMs} ms`) })
      outgoing.destroy()
    }
    const timer = deadline === undefined ? undefined : setTimeout(onTimeout, deadline - Date.now())
    outgoing.on('error', (error) => settle({ failure: toCallFailure(error) }, true))
    outgoing.once('response', (message) => {
      readBody(message).then(
        (raw) => settle({ answer: toAnswer(message, raw) }),
        (error) => settle({ failure: toCallFailure(error) }),
      )
    })
  })

export const createHttpClient = (options: ClientOptions): ServiceClient => {
  const agent = createAgent(options)
  const { poolSize, poolWaitMs } = options
  const slots = poolSize === undefined ? undefined : createConnectionSlots(poolSize, poolWaitMs, processTime)
  const send = async (call: ServiceCall): Promise<ServiceAnswer> => {
    const deadline = call.timeoutMs === undefined ? undefined : Date.now() + call.timeoutMs
    let outcome = await attemptCall(call, agent, deadline)
    if (outcome.failure?.kind === 'reset' && outcome.reused && isIdempotent(call.method))
      outcome = await attemptCall(call, agent, deadline)
    if (outcome.failure !== undefined) throw outcome.failure
    return outcome.answer!
  }
  return {
    call: async (call) => {
      if (slots === undefined) return send(call)
      await slots.acquire()
      try {
        return await send(call)
      } finally {
        slots.release()
      }
    },
    close: () => agent.destroy(),
  }
}
