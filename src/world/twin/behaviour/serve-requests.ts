/** Serves requests: routing, access rules, limits, tracing, metrics and logs. */
import type { Behaviour } from '#spec'
import { parseTraceparent } from '#world/twin/instrumentation'
import type { IncomingRequest, OutgoingAnswer, RequestHandler, TraceContext } from '#world/twin/ports'
import { type Claims, createAccessCheck, readClaims } from './access.ts'
import { compileEndpoint, type RunEndpoint } from './compile-endpoint.ts'
import type { CompileContext } from './compile-value.ts'
import { createRequestDefects, isHealthEndpoint } from './defects.ts'
import type { Names } from './execution.ts'
import { createFailurePage } from './failure-page.ts'
import { memoise } from './memoise.ts'
import { toRequestFailure } from './request-failure.ts'
import { createConcurrencyLimiter, createRateLimiter } from './request-limits.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import { toRequestValue } from './request-value.ts'
import { createRouter, type Routing } from './router.ts'
import { servedAttributes } from './span-attributes.ts'
import { StepFailure } from './step-failure.ts'

/** The endpoint label of unmatched requests; their paths would make the label unbounded. */
const UNKNOWN = 'unknown'

/** The status of each refusal, for HTTP and for RPC. */
const REFUSALS = {
  'unknown-path': { http: 404, rpc: 12, message: 'Not Found' },
  'wrong-method': { http: 405, rpc: 12, message: 'Method Not Allowed' },
  forbidden: { http: 403, rpc: 7, message: 'Forbidden' },
  unauthorised: { http: 401, rpc: 16, message: 'Unauthorized' },
  'too-many': { http: 429, rpc: 8, message: 'Too Many Requests' },
} as const

const isRpc = ({ method }: IncomingRequest): boolean => method === 'RPC'

const createRefusal = (request: IncomingRequest, reason: keyof typeof REFUSALS): StepFailure => {
  const { http, rpc, message } = REFUSALS[reason]
  return isRpc(request)
    ? new StepFailure(reason === 'unknown-path' ? `unknown method ${request.path}` : message, rpc)
    : new StepFailure(message, http)
}

const toErrorText = (answer: OutgoingAnswer, request: IncomingRequest): string | undefined => {
  const failed = isRpc(request) ? answer.status !== 0 : answer.status >= 500
  return failed ? `answered ${answer.status}` : undefined
}

const createRouting = ({ endpoints = {} }: Behaviour): ((request: IncomingRequest) => Routing) => {
  const getRouter = memoise(() => createRouter(Object.keys(endpoints)))
  return (request) => {
    if (!isRpc(request)) return getRouter('all')(request.method, request.path)
    return Object.hasOwn(endpoints, request.path) ? { endpoint: request.path, params: {} } : 'unknown-path'
  }
}

/** `POST /orders/{id}`, `hipstershop.CartService/GetCart` */
const spanName = (request: IncomingRequest, route: string, rpc: string | undefined): string => {
  if (!isRpc(request)) return `${request.method} ${route}`
  return rpc === undefined ? request.path : `${rpc}/${request.path}`
}

/** Compiles one endpoint; called on its first request. */
const compileEndpointByName = (
  name: string,
  compileContext: CompileContext,
): { run: RunEndpoint; isWithinLimit: () => boolean } => {
  const { behaviour, service } = compileContext.host.slice
  const endpoint = behaviour.endpoints![name]!
  return {
    run: compileEndpoint(endpoint, behaviour.work, `${service}.endpoints.${name}`, compileContext),
    isWithinLimit: endpoint.limit === undefined ? () => true : createRateLimiter(endpoint.limit),
  }
}

type RunRequest = (
  request: IncomingRequest,
  routing: Routing,
  context: TraceContext,
) => Promise<OutgoingAnswer>

const createRequestRunner = (compileContext: CompileContext, base: Names): RunRequest => {
  const { slice, tokenKey, tokenMaxAge } = compileContext.host
  const { behaviour } = slice
  const hasAccess = createAccessCheck(behaviour.access ?? [])
  const applyDefects = createRequestDefects(behaviour)
  const endpoints = memoise((name) => compileEndpointByName(name, compileContext))

  const checkAccess = (request: IncomingRequest, claims: Claims | null): void => {
    if (hasAccess(request, claims)) return
    // Spring also answers 403 if there is no token.
    throw createRefusal(
      request,
      claims === null && compileContext.format !== 'spring' ? 'unauthorised' : 'forbidden',
    )
  }

  return async (request, routing, context) => {
    const claims = readClaims(request, tokenKey, tokenMaxAge)
    checkAccess(request, claims)
    if (typeof routing === 'string') throw createRefusal(request, routing)
    const { endpoint, params } = routing
    const { run, isWithinLimit } = endpoints(endpoint)
    if (!isWithinLimit()) throw createRefusal(request, 'too-many')
    const failure = await applyDefects?.(endpoint)
    if (failure !== undefined) throw new StepFailure(failure)
    const scope: Names = Object.create(base)
    scope.request = toRequestValue(request, params)
    scope.claims = claims
    return run({ scope, names: scope, request, endpoint, context, end: {} })
  }
}

/** `base` has the variables of all requests: `env`, `config`, `state`. */
export const serveRequests = (compileContext: CompileContext, base: Names): RequestHandler => {
  const { slice, tracer, meter, concurrency, logRequest } = compileContext.host
  const findRoute = createRouting(slice.behaviour)
  const runRequest = createRequestRunner(compileContext, base)
  const limit = concurrency === undefined ? undefined : createConcurrencyLimiter(concurrency)

  const openLog = createRequestLog(compileContext, base)
  const toAnswer = createFailurePage(compileContext, base)

  const fail = (
    request: IncomingRequest,
    error: unknown,
    log: RequestLog,
  ): { answer: OutgoingAnswer; reason: string } => {
    const failure = toRequestFailure(error, isRpc(request))
    log.failed(failure)
    return { answer: toAnswer(request, failure), reason: failure.message }
  }

  return async (request) => {
    const startedAt = performance.now()
    const routing = findRoute(request)
    const endpoint = typeof routing === 'string' ? UNKNOWN : routing.endpoint
    const parent = parseTraceparent(request.headers.traceparent)
    // Probes of the kubelet are not traced.
    const isProbe = parent === undefined && isHealthEndpoint(endpoint)
    const route = endpoint.split(' ')[1] ?? endpoint
    const name = spanName(request, route, slice.behaviour.rpc)
    const attributes = servedAttributes(request, route, slice.behaviour)
    const span = tracer.start({ name, kind: 'server', attributes }, parent)
    const log = openLog(request, span.context.traceId)
    let answer: OutgoingAnswer
    let reason: string | undefined
    try {
      const work = (): Promise<OutgoingAnswer> => runRequest(request, routing, span.context)
      answer = await (limit === undefined ? work() : limit(work))
      reason = toErrorText(answer, request)
    } catch (error) {
      const failed = fail(request, error, log)
      answer = failed.answer
      reason = toErrorText(answer, request) && failed.reason
    }
    if (logRequest !== undefined && !isHealthEndpoint(endpoint))
      await logRequest(`${new Date().toISOString()} ${request.method} ${request.path} ${answer.status}`)
    if (!isProbe) {
      span.set(isRpc(request) ? 'rpc.response.status_code' : 'http.response.status_code', answer.status)
      span.end(reason)
    }
    meter.served(endpoint, String(answer.status), performance.now() - startedAt)
    log.answered(answer)
    return answer
  }
}
