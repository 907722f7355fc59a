/** The response to a failed request, as the framework of the original writes it. */
import { STATUS_CODES } from 'node:http'
import type { LogFormat } from '#spec'
import type { IncomingRequest, OutgoingAnswer } from '#world/twin/ports'

export interface Failure {
  readonly status: number
  readonly message: string
}

const springBody = ({ status, message }: Failure, path: string, time: number): object => ({
  timestamp: new Date(time).toISOString().replace('Z', '+0000'),
  status,
  error: STATUS_CODES[status] ?? 'Unknown',
  message,
  path,
})

const nginxPage = (status: number): string => {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`
}

/** For RPC, the body is the message. `time` is in milliseconds since the epoch. */
export const toFailureAnswer = (
  format: LogFormat,
  request: IncomingRequest,
  failure: Failure,
  time: number,
): OutgoingAnswer => {
  const { status, message } = failure
  if (request.method === 'RPC') return { status, body: message }
  if (format === 'spring') return { status, body: springBody(failure, request.path, time) }
  if (format === 'nginx') return { status, body: nginxPage(status) }
  return { status, body: { error: message } }
}
