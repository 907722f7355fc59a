/** The wires between services, each loaded when it is first used: a twin pays only for those it speaks. */
import type { ClientOptions, ListeningServer, ServeOptions, ServiceClient } from '../ports/index.ts'

export type ServiceWire = 'http' | 'grpc' | 'thrift'

export type StartServiceServer = (options: ServeOptions) => Promise<ListeningServer>

export type CreateServiceClient = (options: ClientOptions) => ServiceClient

export const loadServiceServer = async (wire: ServiceWire): Promise<StartServiceServer> => {
  switch (wire) {
    case 'http':
      return (await import('./http/start-http-server.ts')).startHttpServer
    case 'grpc':
      return (await import('./grpc/start-grpc-server.ts')).startGrpcServer
    case 'thrift':
      return (await import('./thrift/start-thrift-server.ts')).startThriftServer
  }
}

export const loadServiceClient = async (wire: ServiceWire): Promise<CreateServiceClient> => {
  switch (wire) {
    case 'http':
      return (await import('./http/create-http-client.ts')).createHttpClient
    case 'grpc':
      return (await import('./grpc/create-grpc-client.ts')).createGrpcClient
    case 'thrift':
      return (await import('./thrift/create-thrift-client.ts')).createThriftClient
  }
}
