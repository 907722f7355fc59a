/** The attributes of spans, according to the semantic conventions of OpenTelemetry. */
import type { Protocol, Span } from '#spec'
import type { IncomingRequest } from '#world/twin/ports'

export const rpcSystem = (protocol: Protocol | string): string =>
  protocol === 'thrift' ? 'apache_thrift' : 'grpc'

/** `route` is the path of the endpoint: `/orders/{id}`. */
export const servedAttributes = (
  { method, path }: IncomingRequest,
  route: string,
  { protocol, rpc }: { protocol: Protocol; rpc?: string },
): Span['attributes'] =>
  method === 'RPC'
    ? { 'rpc.system': rpcSystem(protocol), 'rpc.service': rpc ?? '', 'rpc.method': path }
    : { 'http.request.method': method, 'http.route': route, 'url.path': path }
