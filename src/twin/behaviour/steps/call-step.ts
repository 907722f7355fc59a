/** The step that calls another service. */
import type { CallStep } from '../../../spec/index.ts'
import { CallFailure, type Headers, type ServiceAnswer, type ServiceCall } from '../../ports/index.ts'
import { type Compiling, compileMap, compileOptional } from '../compiling.ts'
import type { Execution, Run } from '../execution.ts'
import { type ObservedCall, observeCall } from '../observed-call.ts'
import { rpcSystem } from '../span-attributes.ts'

/** `cartservice GetCart` or `ts-order-service POST /path`. */
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

const forwarded = ({ request }: Execution, names: readonly string[]): Headers => {
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = request?.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

const SHOWN_CHARACTERS = 200

/** Over HTTP the status says whether it went well. */
const toResult = (answer: ServiceAnswer, method: string): unknown => {
  if (method === 'RPC' || answer.status < 400) return answer.body
  const text = answer.raw?.toString('utf8', 0, SHOWN_CHARACTERS) ?? ''
  throw new CallFailure('answer', `${answer.status}${text === '' ? '' : `: [${text}]`}`, answer.status)
}

const attributesOf = (
  { peer, method, operation }: ReturnType<typeof parseCall>,
  { wire, rpc = '' }: { wire: string; rpc?: string | undefined },
): ObservedCall['attributes'] =>
  method === 'RPC'
    ? { 'rpc.system': rpcSystem(wire), 'rpc.service': rpc, 'rpc.method': operation, 'server.address': peer }
    : { 'http.request.method': method, 'url.template': operation, 'server.address': peer }

export const compileCallStep = (step: CallStep, where: string, compiling: Compiling): Run => {
  const { surroundings } = compiling
  const { peer, method, operation } = parseCall(step.call)
  const { wire = 'http', rpc } = surroundings.slice.wires[peer] ?? {}
  const path = compileMap(step.path ?? {}, `${where}.path`, compiling)
  const send = compileOptional(step.send, `${where}.send`, compiling)
  const timeout = compileOptional(step.timeout, `${where}.timeout`, compiling)
  const forward = (step.forward ?? []).map((name) => name.toLowerCase())
  const name =
    method === 'RPC' ? (rpc === undefined ? operation : `${rpc}/${operation}`) : `${method} ${operation}`
  const observed: ObservedCall = {
    peer,
    operation: name,
    wire,
    kind: 'client',
    attributes: attributesOf({ peer, method, operation }, { wire, rpc }),
  }
  const toCall = (execution: Execution): ServiceCall => {
    const timeoutMs = (timeout?.(execution) as number | undefined) ?? surroundings.timeoutOf(peer)
    return {
      method,
      target: method === 'RPC' ? name : fillPath(operation, path(execution)),
      headers: forwarded(execution, forward),
      ...(send === undefined ? {} : { body: send(execution) }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
  }
  return (execution) => {
    const call = toCall(execution)
    return observeCall(observed, execution, compiling, async (traceparent, span) => {
      const client = await surroundings.serviceClient(peer)
      const host: Headers = method === 'RPC' ? {} : { host: peer }
      const answer = await client.call({ ...call, headers: { ...host, ...call.headers, traceparent } })
      if (method !== 'RPC') span.set('http.response.status_code', answer.status)
      return toResult(answer, method)
    })
  }
}
