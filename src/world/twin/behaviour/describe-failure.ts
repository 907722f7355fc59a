/** Describes a failed call as the libraries of the original do. */
import type { LogFormat } from '#spec'
import type { CallFailure, FailureKind } from '#world/twin/ports'

export interface FailedCall {
  readonly peer: string
  /** `POST /api/v1/orders`, `hipstershop.CartService/GetCart`, `SELECT orders` */
  readonly operation: string
  readonly protocol: string
  readonly failure: CallFailure
}

const JAVA_EXCEPTIONS: Readonly<Record<FailureKind, string>> = {
  name: 'java.net.UnknownHostException',
  refused: 'java.net.ConnectException',
  reset: 'java.net.SocketException',
  timeout: 'java.net.SocketTimeoutException',
  pool: 'java.sql.SQLTransientConnectionException',
  login: 'java.sql.SQLException',
  answer: 'java.sql.SQLException',
}

const toJavaCause = ({ peer, failure }: FailedCall): string => {
  if (failure.kind === 'name') return peer
  if (failure.kind === 'refused') return 'Connection refused (Connection refused)'
  if (failure.kind === 'reset') return 'Connection reset'
  return failure.kind === 'timeout' ? 'Read timed out' : failure.message
}

const toSpringStoreMessage = ({ peer, operation, failure }: FailedCall): string =>
  failure.kind === 'answer'
    ? `could not execute statement ${operation} on ${peer}`
    : `Unable to acquire JDBC Connection of ${peer} for ${operation}`

const toSpringMessage = (call: FailedCall): string => {
  const { peer, operation, protocol, failure } = call
  const exception = `${JAVA_EXCEPTIONS[failure.kind]}: ${toJavaCause(call)}`
  if (protocol === 'amqp')
    return `org.springframework.amqp.AmqpConnectException: ${exception} (${peer}, ${operation})`
  if (protocol !== 'http') return `${toSpringStoreMessage(call)}; nested exception is ${exception}`
  if (failure.kind === 'answer') {
    const className = (failure.status ?? 500) >= 500 ? 'HttpServerErrorException' : 'HttpClientErrorException'
    return `org.springframework.web.client.${className}: ${failure.message}`
  }
  // Reported by a registry, not by DNS.
  if (failure.message.startsWith('No instances available'))
    return `java.lang.IllegalStateException: ${failure.message}`
  const [method = '', path = ''] = operation.split(' ')
  const summary = `I/O error on ${method} request for "http://${peer}${path}": ${toJavaCause(call)}`
  return `org.springframework.web.client.ResourceAccessException: ${summary}; nested exception is ${exception}`
}

const CODES_BY_KIND: Readonly<Record<FailureKind, string>> = {
  name: 'Unavailable',
  refused: 'Unavailable',
  reset: 'Unavailable',
  timeout: 'DeadlineExceeded',
  pool: 'ResourceExhausted',
  login: 'Unauthenticated',
  answer: 'Unknown',
}

/** The names of the gRPC status codes in Go, by number. */
const CODES_BY_NUMBER = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
]

const GO_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
}

/** Translates socket errors of Node, such as `connect ECONNREFUSED 10.0.0.1:80` and `read ECONNRESET`. */
const toGoError = (message: string): string => {
  const hasDialPrefix = message.includes('dial tcp')
  return message
    .replace(/connect (E[A-Z]+) ([\d.:]+)/, (whole, code: string, address: string) => {
      const description = GO_ERRORS[code]
      if (description === undefined) return whole
      return hasDialPrefix ? `connect: ${description}` : `dial tcp ${address}: connect: ${description}`
    })
    .replace(/getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/, (_whole, name: string) =>
      hasDialPrefix ? `lookup ${name}: no such host` : `dial tcp: lookup ${name}: no such host`,
    )
    .replace('read ECONNRESET', 'read: connection reset by peer')
}

const toGoMessage = ({ peer, operation, protocol, failure }: FailedCall): string => {
  const reason = toGoError(failure.message)
  if (protocol !== 'grpc') return `${operation} of ${peer} failed: ${reason}`
  const code = CODES_BY_NUMBER[failure.status ?? -1] ?? CODES_BY_KIND[failure.kind]
  const description = failure.kind === 'timeout' ? 'context deadline exceeded' : reason
  return `${operation} of ${peer} failed: rpc error: code = ${code} desc = ${description}`
}

const toThriftMessage = ({ peer, operation, protocol, failure }: FailedCall): string =>
  failure.kind === 'answer'
    ? `Failed to ${operation} on ${peer}: ${failure.message}`
    : `Failed to connect ${peer}${protocol === 'thrift' ? '-client' : ''}: ${failure.message}`

const NGINX_MESSAGES: Readonly<Record<FailureKind, string>> = {
  name: 'host not found in upstream',
  refused: 'connect() failed (111: Connection refused) while connecting to upstream',
  reset: 'recv() failed (104: Connection reset by peer) while reading response header from upstream',
  timeout: 'upstream timed out (110: Connection timed out) while reading response header from upstream',
  pool: 'no live upstreams while connecting to upstream',
  login: 'upstream refused the login',
  answer: 'upstream answered with an error',
}

const toNginxMessage = ({ peer, operation, failure }: FailedCall): string =>
  `${NGINX_MESSAGES[failure.kind]}, request: "${operation}", upstream: "${peer}": ${failure.message}`

const toPlainMessage = ({ peer, operation, failure }: FailedCall): string =>
  `${operation} of ${peer} failed: ${failure.message}`

export const describeFailure = (format: LogFormat, call: FailedCall): string => {
  if (format === 'spring') return toSpringMessage(call)
  if (format === 'go-json' || format === 'zerolog') return toGoMessage(call)
  if (format === 'thrift') return toThriftMessage(call)
  return format === 'nginx' ? toNginxMessage(call) : toPlainMessage(call)
}
