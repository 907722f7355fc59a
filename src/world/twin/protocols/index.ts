/** The protocols between services, loaded on first use. */
import type { ClientOptions, ListeningServer, ServeOptions, ServiceClient } from '#world/twin/ports'

export type ServiceProtocol = 'http' | 'grpc' | 'thrift'

export type StartServiceServer = (options: ServeOptions) => Promise<ListeningServer>

export type CreateServiceClient = (options: ClientOptions) => ServiceClient

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
