/** What the log says of each request: when it comes, where it fails, and what it was answered. */
import type { LogFormat } from '../../spec/index.ts'
import type { IncomingRequest, OutgoingAnswer } from '../ports/index.ts'
import { accessLine } from './access-line.ts'
import { answerSize } from './answer-size.ts'
import { type Compiling, compileMap } from './compiling.ts'
import type { Names } from './execution.ts'
import { toRequestValue } from './incoming.ts'
import { describeUnhandled, type RequestFailure } from './request-failure.ts'

/** Of one request. */
export interface RequestLog {
  failed(failure: RequestFailure): void
  answered(answer: OutgoingAnswer): void
}

type Log = Compiling['surroundings']['log']

/** What frameworks say by themselves. */
const usualLog = (format: LogFormat, log: Log, request: IncomingRequest): RequestLog => ({
  failed: ({ isOurs, message }) => log(isOurs ? 'error' : 'debug', describeUnhandled(format, message)),
  answered: (answer) => {
    if (format === 'nginx') log('info', accessLine(request, answer), { access: true })
  },
})

/** As handlers in Go do that put the fields of the request before every line about it. */
const toldLog = (log: Log, fields: Names): RequestLog => {
  const began = performance.now()
  log('debug', 'request started', fields)
  return {
    failed: ({ message }) => log('error', 'request error', { error: message, ...fields }),
    answered: (answer) =>
      log('debug', 'request complete', {
        ...fields,
        'http.resp.bytes': answerSize(answer),
        'http.resp.status': answer.status,
        'http.resp.took_ms': Math.round(performance.now() - began),
      }),
  }
}

/** `trace` is the one that the request belongs to: 32 digits. */
const requestFields = ({ method, path }: IncomingRequest, trace: string): Names => ({
  'http.req.id': trace.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  'http.req.method': method,
  'http.req.path': path,
})

/** `base` has what all requests see. */
export const createRequestLog = (
  compiling: Compiling,
  base: Names,
): ((request: IncomingRequest, trace: string) => RequestLog) => {
  const { surroundings, format } = compiling
  const { slice, log } = surroundings
  const { accessLog } = slice.behaviour
  if (accessLog === undefined) return (request) => usualLog(format, log, request)
  const evaluate = compileMap(accessLog, `${slice.service}.accessLog`, compiling)
  return (request, trace) => {
    const scope: Names = Object.create(base)
    scope.request = toRequestValue(request, {})
    const own = evaluate({ scope })
    return toldLog(log, { ...requestFields(request, trace), ...own })
  }
}
