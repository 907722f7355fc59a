/** Serves requests: routing, access rules, limits, tracing, metrics and logs. */
import { parseTraceparent } from '#world/twin/instrumentation'
import type { IncomingRequest, OutgoingAnswer, RequestHandler, TraceContext } from '#world/twin/ports'
import { type Claims, readClaims } from './access.ts'
import type { CompiledBehaviour } from './compile-behaviour.ts'
import { createRequestDefects, isHealthEndpoint } from './defects.ts'
import type { Names, RunningService } from './execution.ts'
import { createFailurePage } from './failure-page.ts'
import { memoise } from './memoise.ts'
import { toRequestFailure } from './request-failure.ts'
import { createConcurrencyLimiter, createRateLimiter } from './request-limits.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import { toRequestValue } from './request-value.ts'
import type { Routing } from './router.ts'
import type { ServiceHost } from './service-host.ts'
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

/** `POST /orders/{id}`, `hipstershop.CartService/GetCart` */
const spanName = (request: IncomingRequest, route: string, rpc: string | undefined): string => {
  if (!isRpc(request)) return `${request.method} ${route}`
  return rpc === undefined ? request.path : `${rpc}/${request.path}`
}

const toRequestLine = ({ method, path }: IncomingRequest, { status }: OutgoingAnswer, time: number): string =>
  `${new Date(time).toISOString()} ${method} ${path} ${status}`

/** Can throw as well as reject. */
type RunRequest = (
  request: IncomingRequest,
  routing: Routing,
  context: TraceContext,
) => Promise<OutgoingAnswer>

/** Returns false for a request above the rate that its endpoint declares. */
const createEndpointLimits = (
  { slice }: CompiledBehaviour,
  { time }: ServiceHost,
): ((endpoint: string) => boolean) => {
  const limiters = memoise((endpoint) => {
    const { limit } = slice.behaviour.endpoints![endpoint]!
    return limit === undefined ? () => true : createRateLimiter(limit, time)
  })
  return (endpoint) => limiters(endpoint)()
}

const createRequestRunner = (compiled: CompiledBehaviour, service: RunningService): RunRequest => {
  const { host, memoryStore, base } = service
  const { tokenKey, tokenMaxAge, time } = host
  const applyDefects = createRequestDefects(compiled.slice.behaviour, host)
  const isWithinLimit = createEndpointLimits(compiled, host)

  const checkAccess = (request: IncomingRequest, claims: Claims | null): void => {
    if (compiled.hasAccess(request, claims)) return
    // Spring also answers 403 if there is no token.
    throw createRefusal(
      request,
      claims === null && compiled.format !== 'spring' ? 'unauthorised' : 'forbidden',
    )
  }

  return (request, routing, context) => {
    const claims = readClaims(request, tokenKey, time.now(), tokenMaxAge)
    checkAccess(request, claims)
    if (typeof routing === 'string') throw createRefusal(request, routing)
    const { endpoint, params } = routing
    const run = compiled.endpoint(endpoint)
    if (!isWithinLimit(endpoint)) throw createRefusal(request, 'too-many')
    const runEndpoint = (): Promise<OutgoingAnswer> => {
      const scope: Names = Object.create(base)
      scope.request = toRequestValue(request, params)
      scope.claims = claims
      return run({ host, memoryStore, scope, names: scope, request, endpoint, context, end: {} })
    }
    if (applyDefects === undefined) return runEndpoint()
    return applyDefects(endpoint).then((failure) => {
      if (failure !== undefined) throw new StepFailure(failure)
      return runEndpoint()
    })
  }
}

export const serveRequests = (compiled: CompiledBehaviour, service: RunningService): RequestHandler => {
  const { tracer, meter, time, concurrency, logRequest } = service.host
  const { behaviour } = compiled.slice
  const runRequest = createRequestRunner(compiled, service)
  const limit = concurrency === undefined ? undefined : createConcurrencyLimiter(concurrency)

  const openLog = createRequestLog(compiled, service)
  const toAnswer = createFailurePage(compiled, service)

  const fail = (
    request: IncomingRequest,
    error: unknown,
    log: RequestLog,
  ): { answer: OutgoingAnswer; reason: string } => {
    const failure = toRequestFailure(error, isRpc(request))
    log.failed(failure)
    return { answer: toAnswer(request, failure), reason: failure.message }
  }

  const routeOf = memoise((endpoint) => endpoint.split(' ')[1] ?? endpoint)

  return async (request) => {
    const startedAt = time.monotonic()
    const routing = compiled.findRoute(request)
    const endpoint = typeof routing === 'string' ? UNKNOWN : routing.endpoint
    const parent = parseTraceparent(request.headers.traceparent)
    // Probes of the kubelet are not traced.
    const isProbe = parent === undefined && isHealthEndpoint(endpoint)
    const route = routeOf(endpoint)
    const name = spanName(request, route, behaviour.rpc)
    const attributes = servedAttributes(request, route, behaviour)
    const span = tracer.start({ name, kind: 'server', attributes }, parent)
    const log = openLog(request, span.context.traceId)
    let answer: OutgoingAnswer
    let reason: string | undefined
    try {
      answer = await (limit === undefined
        ? runRequest(request, routing, span.context)
        : limit(async () => runRequest(request, routing, span.context)))
      reason = toErrorText(answer, request)
    } catch (error) {
      const failed = fail(request, error, log)
      answer = failed.answer
      reason = toErrorText(answer, request) && failed.reason
    }
    if (logRequest !== undefined && !isHealthEndpoint(endpoint))
      await logRequest(toRequestLine(request, answer, time.now()))
    if (!isProbe) {
      span.set(isRpc(request) ? 'rpc.response.status_code' : 'http.response.status_code', answer.status)
      span.end(reason)
    }
    meter.served(endpoint, String(answer.status), time.monotonic() - startedAt)
    log.answered(answer)
    return answer
  }
}
