/** The step that sends a request on as it is, and makes what comes back the answer. */
import type { LogFormat, ProxyStep } from '../../../spec/index.ts'
import { CallFailure, type Headers, type IncomingRequest, type ServiceCall } from '../../ports/index.ts'
import { type Compiling, compileOptional } from '../compiling.ts'
import type { Execution, Run } from '../execution.ts'
import { observeCall } from '../observed-call.ts'
import { StepFailure } from '../step-failure.ts'

/** About one connection only, or said anew by whoever sends. */
const NOT_PASSED_ON = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'host',
  'expect',
])

const passOn = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)))

/** nginx tells its clients which side failed; a gateway in Java only that nobody is registered by that name. */
const gatewayStatus = ({ kind }: CallFailure, format: LogFormat): number | undefined => {
  if (format === 'nginx') return kind === 'timeout' ? 504 : 502
  return format === 'spring' && kind === 'name' ? 503 : undefined
}

const toGatewayFailure = (error: unknown, format: LogFormat): unknown => {
  if (!(error instanceof StepFailure) || !(error.cause instanceof CallFailure)) return error
  const status = gatewayStatus(error.cause, format)
  return status === undefined ? error : new StepFailure(error.message, status, error.peer, error.cause)
}

export const compileProxyStep = (step: ProxyStep, where: string, compiling: Compiling): Run => {
  const { surroundings, format } = compiling
  const peer = step.proxy
  const wire = surroundings.slice.wires[peer]?.wire ?? 'http'
  const target = compileOptional(step.target, `${where}.target`, compiling)
  const timeout = compileOptional(step.timeout, `${where}.timeout`, compiling)

  const toCall = (execution: Execution, request: IncomingRequest): ServiceCall => {
    const timeoutMs = (timeout?.(execution) as number | undefined) ?? surroundings.timeoutOf(peer)
    return {
      method: request.method,
      target: target === undefined ? (request.raw?.target ?? request.path) : String(target(execution)),
      headers: { ...passOn(request.headers), host: peer },
      ...(request.raw === undefined ? { body: request.body } : { raw: request.raw.body }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
  }

  return async (execution) => {
    const { request, end, endpoint } = execution
    if (request === undefined) throw new StepFailure(`${where}: there is no request to send on`)
    const call = toCall(execution, request)
    const operation = `${request.method} ${endpoint.split(' ')[1] ?? request.path}`
    const attributes = { 'http.request.method': request.method, 'server.address': peer }
    try {
      await observeCall(
        { peer, operation, wire, kind: 'client', attributes },
        execution,
        compiling,
        async (traceparent, span) => {
          const client = await surroundings.serviceClient(peer)
          const answer = await client.call({ ...call, headers: { ...call.headers, traceparent } })
          span.set('http.response.status_code', answer.status)
          if (answer.status >= 500) span.end(`answered ${answer.status}`)
          end.answer = {
            status: answer.status,
            headers: passOn(answer.headers),
            body: null,
            raw: answer.raw ?? Buffer.alloc(0),
          }
        },
      )
    } catch (error) {
      throw toGatewayFailure(error, format)
    }
    return null
  }
}
