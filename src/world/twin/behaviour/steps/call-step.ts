/** The step that calls another service. */
import type { CallStep } from '#spec'
import { CallFailure, type Headers, type ServiceAnswer, type ServiceCall } from '#world/twin/ports'
import { type CompileContext, compileMap, compileOptional } from '../compile-value.ts'
import type { Execution, Run } from '../execution.ts'
import { type ObservedCall, observeCall } from '../observe-call.ts'
import { rpcSystem } from '../span-attributes.ts'

/** Parses `cartservice GetCart` or `ts-order-service POST /path`. */
const parseCall = (call: string): { peer: string; method: string; operation: string } => {
  const [peer = '', first = '', path] = call.trim().split(/\s+/)
  return path === undefined
    ? { peer, method: 'RPC', operation: first }
    : { peer, method: first, operation: path }
}

const fillPath = (template: string, values: Readonly<Record<string, unknown>>): string =>
  template.replace(/\{(\w+)(\.\.\.)?\}/g, (_whole, name: string, rest: string | undefined) => {
    const value = String(values[name] ?? '')
    return rest === undefined ? encodeURIComponent(value) : value
  })

const pickForwardedHeaders = ({ request }: Execution, names: readonly string[]): Headers => {
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = request?.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

const MAX_QUOTED_BYTES = 200

/** Throws for an HTTP error status; a failed RPC rejects earlier. */
const toResult = (answer: ServiceAnswer, method: string): unknown => {
  if (method === 'RPC' || answer.status < 400) return answer.body
  const text = answer.raw?.toString('utf8', 0, MAX_QUOTED_BYTES) ?? ''
  throw new CallFailure('answer', `${answer.status}${text === '' ? '' : `: [${text}]`}`, answer.status)
}

const toAttributes = (
  { peer, method, operation }: ReturnType<typeof parseCall>,
  { protocol, rpc = '' }: { protocol: string; rpc?: string | undefined },
): ObservedCall['attributes'] =>
  method === 'RPC'
    ? {
        'rpc.system': rpcSystem(protocol),
        'rpc.service': rpc,
        'rpc.method': operation,
        'server.address': peer,
      }
    : { 'http.request.method': method, 'url.template': operation, 'server.address': peer }

type Draft = { -readonly [K in keyof ServiceCall]: ServiceCall[K] }

export const compileCallStep = (step: CallStep, location: string, context: CompileContext): Run => {
  const { peer, method, operation } = parseCall(step.call)
  const { protocol = 'http', rpc } = context.slice.protocols[peer] ?? {}
  const path = compileMap(step.path ?? {}, `${location}.path`, context)
  const send = compileOptional(step.send, `${location}.send`, context)
  const timeout = compileOptional(step.timeout, `${location}.timeout`, context)
  const forward = (step.forward ?? []).map((name) => name.toLowerCase())
  const name =
    method === 'RPC' ? (rpc === undefined ? operation : `${rpc}/${operation}`) : `${method} ${operation}`
  const observed: ObservedCall = {
    peer,
    operation: name,
    protocol,
    kind: 'client',
    attributes: toAttributes({ peer, method, operation }, { protocol, rpc }),
  }
  const toCall = (execution: Execution): ServiceCall => {
    const timeoutMs = (timeout?.(execution) as number | undefined) ?? execution.host.timeoutOf(peer)
    const call: Draft = {
      method,
      target: method === 'RPC' ? name : fillPath(operation, path(execution)),
      headers: pickForwardedHeaders(execution, forward),
    }
    if (send !== undefined) call.body = send(execution)
    if (timeoutMs !== undefined) call.timeoutMs = timeoutMs
    return call
  }
  return (execution) => {
    const call = toCall(execution)
    return observeCall(observed, execution, context, async (traceparent, span) => {
      const client = await execution.host.serviceClient(peer)
      const hostHeader: Headers = method === 'RPC' ? {} : { host: peer }
      const answer = await client.call({ ...call, headers: { ...hostHeader, ...call.headers, traceparent } })
      if (method !== 'RPC') span.set('http.response.status_code', answer.status)
      return toResult(answer, method)
    })
  }
}
