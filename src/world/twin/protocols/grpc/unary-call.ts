/** Rules for unary gRPC calls that do not depend on how messages are transported. */

/** The default limit of gRPC servers. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

export const TOO_LARGE_TEXT = `grpc: received message larger than max (${MAX_MESSAGE_BYTES})`

export const UNMARSHAL_TEXT = 'grpc: failed to unmarshal the received message'

/** Parses `/package.Service/Method`; returns an error message if it is malformed or names another service. */
export const parseMethod = (
  path: string,
  rpc: string | undefined,
): { method: string } | { unknown: string } => {
  const [, service, method] = /^\/([^/]+)\/([^/]+)$/.exec(path) ?? []
  if (!service || !method) return { unknown: `malformed method name: ${JSON.stringify(path)}` }
  return rpc === undefined || rpc === service ? { method } : { unknown: `unknown service ${service}` }
}
