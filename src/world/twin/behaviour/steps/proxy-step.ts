/** The step that forwards a request unchanged and returns the response. */
import type { LogFormat, ProxyStep } from '#spec'
import { CallFailure, type Headers, type IncomingRequest, type ServiceCall } from '#world/twin/ports'
import { type CompileContext, compileOptional } from '../compile-value.ts'
import type { Execution, Run } from '../execution.ts'
import { observeCall } from '../observe-call.ts'
import { StepFailure } from '../step-failure.ts'

/** Headers of a single connection, and those that each sender sets. */
const HOP_HEADERS = new Set([
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

const forwardHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)))

/** nginx answers every upstream failure with 502 or 504; a Java gateway answers unknown names with 503. */
const gatewayStatus = ({ kind }: CallFailure, format: LogFormat): number | undefined => {
  if (format === 'nginx') return kind === 'timeout' ? 504 : 502
  return format === 'spring' && kind === 'name' ? 503 : undefined
}

const toGatewayFailure = (error: unknown, format: LogFormat): unknown => {
  if (!(error instanceof StepFailure) || !(error.cause instanceof CallFailure)) return error
  const status = gatewayStatus(error.cause, format)
  return status === undefined ? error : new StepFailure(error.message, status, error.peer, error.cause)
}

export const compileProxyStep = (step: ProxyStep, location: string, context: CompileContext): Run => {
  const { slice, format } = context
  const peer = step.proxy
  const protocol = slice.protocols[peer]?.protocol ?? 'http'
  const target = compileOptional(step.target, `${location}.target`, context)
  const timeout = compileOptional(step.timeout, `${location}.timeout`, context)

  const toCall = (execution: Execution, request: IncomingRequest): ServiceCall => {
    const timeoutMs = (timeout?.(execution) as number | undefined) ?? execution.host.timeoutOf(peer)
    return {
      method: request.method,
      target: target === undefined ? (request.raw?.target ?? request.path) : String(target(execution)),
      headers: { ...forwardHeaders(request.headers), host: peer },
      ...(request.raw === undefined ? { body: request.body } : { raw: request.raw.body }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
  }

  return async (execution) => {
    const { host, request, end, endpoint } = execution
    if (request === undefined) throw new StepFailure(`${location}: there is no request to forward`)
    const call = toCall(execution, request)
    const operation = `${request.method} ${endpoint.split(' ')[1] ?? request.path}`
    const attributes = { 'http.request.method': request.method, 'server.address': peer }
    try {
      await observeCall(
        { peer, operation, protocol, kind: 'client', attributes },
        execution,
        context,
        async (traceparent, span) => {
          const client = await host.serviceClient(peer)
          const answer = await client.call({ ...call, headers: { ...call.headers, traceparent } })
          span.set('http.response.status_code', answer.status)
          if (answer.status >= 500) span.end(`answered ${answer.status}`)
          end.answer = {
            status: answer.status,
            headers: forwardHeaders(answer.headers),
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
