/** Logs each request: its start, its failure and its response. */
import type { LogFormat } from '#spec'
import type { IncomingRequest, OutgoingAnswer } from '#world/twin/ports'
import { accessLine } from './access-line.ts'
import { answerSize } from './answer-size.ts'
import { type CompileContext, compileMap } from './compile-value.ts'
import type { Names } from './execution.ts'
import { describeUnhandled, type RequestFailure } from './request-failure.ts'
import { toRequestValue } from './request-value.ts'

/** The log of one request. */
export interface RequestLog {
  failed(failure: RequestFailure): void
  answered(answer: OutgoingAnswer): void
}

type Log = CompileContext['host']['log']

/** Logs as the framework of the original does by default. */
const createFrameworkLog = (format: LogFormat, log: Log, request: IncomingRequest): RequestLog => ({
  failed: ({ isServerError, message }) =>
    log(isServerError ? 'error' : 'debug', describeUnhandled(format, message)),
  answered: (answer) => {
    if (format === 'nginx') log('info', accessLine(request, answer), { access: true })
  },
})

/** Logs like Go handlers, which add the fields of the request to every line. */
const createFieldLog = (log: Log, fields: Names): RequestLog => {
  const startedAt = performance.now()
  log('debug', 'request started', fields)
  return {
    failed: ({ message }) => log('error', 'request error', { error: message, ...fields }),
    answered: (answer) =>
      log('debug', 'request complete', {
        ...fields,
        'http.resp.bytes': answerSize(answer),
        'http.resp.status': answer.status,
        'http.resp.took_ms': Math.round(performance.now() - startedAt),
      }),
  }
}

/** `traceId` has 32 hexadecimal digits. */
const requestFields = ({ method, path }: IncomingRequest, traceId: string): Names => ({
  'http.req.id': traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  'http.req.method': method,
  'http.req.path': path,
})

/** `base` has the variables of all requests. */
export const createRequestLog = (
  context: CompileContext,
  base: Names,
): ((request: IncomingRequest, traceId: string) => RequestLog) => {
  const { host, format } = context
  const { slice, log } = host
  const { accessLog } = slice.behaviour
  if (accessLog === undefined) return (request) => createFrameworkLog(format, log, request)
  const evaluate = compileMap(accessLog, `${slice.service}.accessLog`, context)
  return (request, traceId) => {
    const scope: Names = Object.create(base)
    scope.request = toRequestValue(request, {})
    const declaredFields = evaluate({ scope })
    return createFieldLog(log, { ...requestFields(request, traceId), ...declaredFields })
  }
}
