/** Logs each request: its start, its failure and its response. */
import type { LogFormat } from '#spec'
import type { IncomingRequest, OutgoingAnswer } from '#world/twin/ports'
import { accessLine } from './access-line.ts'
import { answerSize } from './answer-size.ts'
import type { CompiledBehaviour } from './compile-behaviour.ts'
import type { Names, RunningService } from './execution.ts'
import { describeUnhandled, type RequestFailure } from './request-failure.ts'
import { toRequestValue } from './request-value.ts'
import type { ServiceHost } from './service-host.ts'

/** The log of one request. */
export interface RequestLog {
  failed(failure: RequestFailure): void
  answered(answer: OutgoingAnswer): void
}

/** Logs as the framework of the original does by default. */
const createFrameworkLog = (
  format: LogFormat,
  { log, time }: ServiceHost,
  request: IncomingRequest,
): RequestLog => ({
  failed: ({ isServerError, message }) =>
    log(isServerError ? 'error' : 'debug', describeUnhandled(format, message)),
  answered: (answer) => {
    if (format === 'nginx') log('info', accessLine(request, answer, time.now()), { access: true })
  },
})

/** Logs like Go handlers, which add the fields of the request to every line. */
const createFieldLog = ({ log, time }: ServiceHost, fields: Names): RequestLog => {
  const startedAt = time.monotonic()
  log('debug', 'request started', fields)
  return {
    failed: ({ message }) => log('error', 'request error', { error: message, ...fields }),
    answered: (answer) =>
      log('debug', 'request complete', {
        ...fields,
        'http.resp.bytes': answerSize(answer),
        'http.resp.status': answer.status,
        'http.resp.took_ms': Math.round(time.monotonic() - startedAt),
      }),
  }
}

/** `traceId` has 32 hexadecimal digits. */
const requestFields = ({ method, path }: IncomingRequest, traceId: string): Names => ({
  'http.req.id': traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  'http.req.method': method,
  'http.req.path': path,
})

export const createRequestLog = (
  { accessLog, format }: CompiledBehaviour,
  { host, base }: RunningService,
): ((request: IncomingRequest, traceId: string) => RequestLog) => {
  if (accessLog === undefined) return (request) => createFrameworkLog(format, host, request)
  return (request, traceId) => {
    const scope: Names = Object.create(base)
    scope.request = toRequestValue(request, {})
    const declaredFields = accessLog({ scope, host })
    return createFieldLog(host, { ...requestFields(request, traceId), ...declaredFields })
  }
}
