/** Answers requests: finds the endpoint, asks who may, bounds how many, and tells of each what became of it. */
import type { Behaviour } from '../../spec/index.ts'
import type { IncomingRequest, OutgoingAnswer, RequestHandler, TraceContext } from '../ports/index.ts'
import { parseTraceparent } from '../watch/index.ts'
import { type Claims, createAccess, readClaims } from './access.ts'
import { compileEndpoint, type RunEndpoint } from './compile-endpoint.ts'
import type { Compiling } from './compiling.ts'
import { createRequestDefects, isHealthEndpoint } from './defects.ts'
import type { Names } from './execution.ts'
import { createFailurePage } from './failure-page.ts'
import { createConcurrencyGate, createRateGate } from './gates.ts'
import { toRequestValue } from './incoming.ts'
import { memorise } from './memorise.ts'
import { toRequestFailure } from './request-failure.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import { createRouter, type Routing } from './router.ts'
import { servedAttributes } from './span-attributes.ts'
import { StepFailure } from './step-failure.ts'

/** Of requests for what is not there; the path would be without bound. */
const UNKNOWN = 'unknown'

/** The same for HTTP and for RPC. */
const REFUSALS = {
  'unknown-path': { http: 404, rpc: 12, message: 'Not Found' },
  'wrong-method': { http: 405, rpc: 12, message: 'Method Not Allowed' },
  forbidden: { http: 403, rpc: 7, message: 'Forbidden' },
  unauthorised: { http: 401, rpc: 16, message: 'Unauthorized' },
  'too-many': { http: 429, rpc: 8, message: 'Too Many Requests' },
} as const

const isRpc = ({ method }: IncomingRequest): boolean => method === 'RPC'

const refuse = (request: IncomingRequest, why: keyof typeof REFUSALS): StepFailure => {
  const { http, rpc, message } = REFUSALS[why]
  return isRpc(request)
    ? new StepFailure(why === 'unknown-path' ? `unknown method ${request.path}` : message, rpc)
    : new StepFailure(message, http)
}

const toErrorText = (answer: OutgoingAnswer, request: IncomingRequest): string | undefined => {
  const failed = isRpc(request) ? answer.status !== 0 : answer.status >= 500
  return failed ? `answered ${answer.status}` : undefined
}

const createRouting = ({ endpoints = {} }: Behaviour): ((request: IncomingRequest) => Routing) => {
  const route = memorise(() => createRouter(Object.keys(endpoints)))
  return (request) => {
    if (!isRpc(request)) return route('all')(request.method, request.path)
    return Object.hasOwn(endpoints, request.path) ? { endpoint: request.path, params: {} } : 'unknown-path'
  }
}

/** `POST /orders/{id}`, `hipstershop.CartService/GetCart` */
const spanName = (request: IncomingRequest, route: string, rpc: string | undefined): string => {
  if (!isRpc(request)) return `${request.method} ${route}`
  return rpc === undefined ? request.path : `${rpc}/${request.path}`
}

/** One endpoint, compiled when it is first asked for. */
const compileOne = (name: string, compiling: Compiling): { run: RunEndpoint; mayCome: () => boolean } => {
  const { behaviour, service } = compiling.surroundings.slice
  const endpoint = behaviour.endpoints![name]!
  return {
    run: compileEndpoint(endpoint, behaviour.work, `${service}.endpoints.${name}`, compiling),
    mayCome: endpoint.limit === undefined ? () => true : createRateGate(endpoint.limit),
  }
}

type Perform = (request: IncomingRequest, routing: Routing, context: TraceContext) => Promise<OutgoingAnswer>

const createPerform = (compiling: Compiling, base: Names): Perform => {
  const { slice, tokenKey, tokenMaxAge } = compiling.surroundings
  const { behaviour } = slice
  const mayAsk = createAccess(behaviour.access ?? [])
  const defects = createRequestDefects(behaviour)
  const endpoints = memorise((name) => compileOne(name, compiling))

  const admit = (request: IncomingRequest, claims: Claims | null): void => {
    if (mayAsk(request, claims)) return
    // Spring's answer to those without a token is the same as to those without the right.
    throw refuse(request, claims === null && compiling.format !== 'spring' ? 'unauthorised' : 'forbidden')
  }

  return async (request, routing, context) => {
    const claims = readClaims(request, tokenKey, tokenMaxAge)
    admit(request, claims)
    if (typeof routing === 'string') throw refuse(request, routing)
    const { endpoint, params } = routing
    const { run, mayCome } = endpoints(endpoint)
    if (!mayCome()) throw refuse(request, 'too-many')
    const defect = await defects?.(endpoint)
    if (defect !== undefined) throw new StepFailure(defect)
    const scope: Names = Object.create(base)
    scope.request = toRequestValue(request, params)
    scope.claims = claims
    return run({ scope, names: scope, request, endpoint, context, end: {} })
  }
}

/** `base` has what all requests see: `env`, `config`, `state`. */
export const serveRequests = (compiling: Compiling, base: Names): RequestHandler => {
  const { slice, tracer, meter, concurrency, noteRequest } = compiling.surroundings
  const find = createRouting(slice.behaviour)
  const perform = createPerform(compiling, base)
  const gate = concurrency === undefined ? undefined : createConcurrencyGate(concurrency)

  const openLog = createRequestLog(compiling, base)
  const toAnswer = createFailurePage(compiling, base)

  const fail = (
    request: IncomingRequest,
    error: unknown,
    log: RequestLog,
  ): { answer: OutgoingAnswer; why: string } => {
    const failure = toRequestFailure(error, isRpc(request))
    log.failed(failure)
    return { answer: toAnswer(request, failure), why: failure.message }
  }

  return async (request) => {
    const began = performance.now()
    const routing = find(request)
    const endpoint = typeof routing === 'string' ? UNKNOWN : routing.endpoint
    const parent = parseTraceparent(request.headers.traceparent)
    // A kubelet asks every second, and is no user.
    const quiet = parent === undefined && isHealthEndpoint(endpoint)
    const route = endpoint.split(' ')[1] ?? endpoint
    const name = spanName(request, route, slice.behaviour.rpc)
    const attributes = servedAttributes(request, route, slice.behaviour)
    const span = tracer.start({ name, kind: 'server', attributes }, parent)
    const log = openLog(request, span.context.traceId)
    let answer: OutgoingAnswer
    let why: string | undefined
    try {
      const work = (): Promise<OutgoingAnswer> => perform(request, routing, span.context)
      answer = await (gate === undefined ? work() : gate(work))
      why = toErrorText(answer, request)
    } catch (error) {
      const failed = fail(request, error, log)
      answer = failed.answer
      why = toErrorText(answer, request) && failed.why
    }
    if (noteRequest !== undefined && !isHealthEndpoint(endpoint))
      await noteRequest(`${new Date().toISOString()} ${request.method} ${request.path} ${answer.status}`)
    if (!quiet) {
      span.set(isRpc(request) ? 'rpc.response.status_code' : 'http.response.status_code', answer.status)
      span.end(why)
    }
    meter.served(endpoint, String(answer.status), performance.now() - began)
    log.answered(answer)
    return answer
  }
}
