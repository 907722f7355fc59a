/** The protocols between services: servers and clients over sockets, loaded on first use, and the parts that need no sockets. */
import type { CreateServiceClient, ServiceProtocol, StartServiceServer } from '#world/twin/ports'

export const loadServiceServer = async (protocol: ServiceProtocol): Promise<StartServiceServer> => {
  switch (protocol) {
    case 'http':
      return (await import('./http/start-http-server.ts')).startHttpServer
    case 'grpc':
      return (await import('./grpc/start-grpc-server.ts')).startGrpcServer
    case 'thrift':
      return (await import('./thrift/start-thrift-server.ts')).startThriftServer
  }
}

export const loadServiceClient = async (protocol: ServiceProtocol): Promise<CreateServiceClient> => {
  switch (protocol) {
    case 'http':
      return (await import('./http/create-http-client.ts')).createHttpClient
    case 'grpc':
      return (await import('./grpc/create-grpc-client.ts')).createGrpcClient
    case 'thrift':
      return (await import('./thrift/create-thrift-client.ts')).createThriftClient
  }
}

export { type ConnectionSlots, createConnectionSlots } from './connection-slots.ts'
export { createClientOver as createGrpcClientOver } from './grpc/create-client-over.ts'
export { fromMetadata, toMetadata } from './grpc/grpc-metadata.ts'
export { GRPC_CODE } from './grpc/grpc-status.ts'
export {
  CONNECT_TIMEOUT_MS,
  createConnectTimeout,
  createDeadlineFailure,
  createPrefaceFailure,
  type GrpcSession,
  type GrpcTransport,
  type Target,
  toReadFailure,
  UnprocessedCall,
} from './grpc/grpc-transport.ts'
export { isHealthCheck, SERVING } from './grpc/health-service.ts'
export { MAX_MESSAGE_BYTES, parseMethod, TOO_LARGE_TEXT } from './grpc/unary-call.ts'
export { bodyTypeOf, MAX_BODY_BYTES, parseText } from './http/http-body.ts'
export {
  HTTP_CLIENT_IDLE_MS,
  HTTP_GRACE_MS,
  INTERNAL_ERROR,
  isIdempotent,
  parseQuery,
} from './http/http-rules.ts'
export {
  createClientOver as createThriftClientOver,
  type ThriftConnection,
} from './thrift/create-client-over.ts'
export { CLOSED_BY_CLIENT, CLOSED_BY_SERVER, toExceptionFailure, toMethodName } from './thrift/thrift-call.ts'
