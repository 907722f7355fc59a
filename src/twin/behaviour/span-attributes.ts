/** What spans say of requests, by the names of OpenTelemetry. */
import type { Span, Wire } from '../../spec/index.ts'
import type { IncomingRequest } from '../ports/index.ts'

export const rpcSystem = (wire: Wire | string): string => (wire === 'thrift' ? 'apache_thrift' : 'grpc')

/** `route` is that of the endpoint: `/orders/{id}`. */
export const servedAttributes = (
  { method, path }: IncomingRequest,
  route: string,
  { wire, rpc }: { wire: Wire; rpc?: string },
): Span['attributes'] =>
  method === 'RPC'
    ? { 'rpc.system': rpcSystem(wire), 'rpc.service': rpc ?? '', 'rpc.method': path }
    : { 'http.request.method': method, 'http.route': route, 'url.path': path }
