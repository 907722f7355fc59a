/** The gRPC server of a simulated program: it answers like `startGrpcServer`, on the network of its host. */
import type { GrpcRequestContent, ProgramHost, ProgramMessage } from '#spec'
import type { Headers, ListeningServer, ServeOptions } from '#world/twin/ports'
import {
  fromMetadata,
  GRPC_CODE,
  isHealthCheck,
  MAX_MESSAGE_BYTES,
  parseMethod,
  SERVING,
  TOO_LARGE_TEXT,
  toMetadata,
} from '#world/twin/protocols'
import { serveConnections } from '../wire/server-connections.ts'
import {
  GrpcRequest,
  GrpcSettings,
  isGrpcRequest,
  REFUSAL_MESSAGE,
  SETTINGS_MESSAGE,
  toFailureMessage,
  toResponseMessage,
} from './grpc-content.ts'

const NO_HEADERS: Headers = {}

const serveCall = async (
  content: GrpcRequestContent,
  bytes: number,
  options: ServeOptions,
): Promise<ProgramMessage> => {
  const { rpc, headers, message } = content
  if (bytes > MAX_MESSAGE_BYTES) return toFailureMessage(GRPC_CODE.resourceExhausted, TOO_LARGE_TEXT)
  if (isHealthCheck(rpc)) return toResponseMessage(NO_HEADERS, SERVING)
  const target = parseMethod(rpc, options.rpc)
  if ('unknown' in target) return toFailureMessage(GRPC_CODE.unimplemented, target.unknown)
  const answer = await options.handler({
    method: 'RPC',
    path: target.method,
    query: {},
    headers: content instanceof GrpcRequest ? headers : fromMetadata(headers),
    body: message,
  })
  if (answer.status !== GRPC_CODE.ok) return toFailureMessage(answer.status, String(answer.body ?? ''))
  return toResponseMessage(toMetadata(answer.headers ?? NO_HEADERS), answer.body)
}

export const startSimulatedGrpcServer = async (
  host: Pick<ProgramHost, 'network' | 'time'>,
  options: ServeOptions,
): Promise<ListeningServer> =>
  serveConnections({
    host,
    port: options.port,
    defaultGraceMs: 0,
    closesIdle: true,
    accept:
      (_connection, { isClosing }) =>
      ({ content, bytes }) => {
        if (content instanceof GrpcSettings) return Promise.resolve(SETTINGS_MESSAGE)
        if (!isGrpcRequest(content)) return Promise.reject(new Error('the request is not gRPC'))
        return isClosing() ? Promise.resolve(REFUSAL_MESSAGE) : serveCall(content, bytes, options)
      },
  })
