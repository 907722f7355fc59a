/**
 * Writes allowed connections as conditions of the packet filter. They match the client, the server and the port of the
 * tracked connection. Therefore a new policy immediately cuts the connections that it forbids.
 */
import type { AllowedConnections, AllowedPeers, AllowedPorts, Direction } from '#platform/kube/connectivity'

export const CLIENT = 'ct original ip saddr'
/** The endpoint, after the translation of Service addresses. */
export const SERVER = 'ct reply ip saddr'
const SERVER_PORT = 'ct reply proto-src'

const peerMatches = (field: string, peers: AllowedPeers): string[] => {
  if (peers.kind === 'any') return []
  if (peers.kind === 'pods') return [`${field} { ${peers.addresses.join(', ')} }`]
  const { range, except } = peers
  return [
    ...(range.prefix === 0 ? [] : [`${field} ${range.text}`]),
    ...except.map(({ text }) => `${field} != ${text}`),
  ]
}

const portMatches = (ports: AllowedPorts | undefined): string[] => {
  if (ports === undefined) return []
  const { protocol, first, last } = ports
  return [
    `meta l4proto ${protocol.toLowerCase()}`,
    ...(first === undefined ? [] : [`${SERVER_PORT} ${first === last ? first : `${first}-${last}`}`]),
  ]
}

/** Returns an empty text if every connection is allowed. */
export const policyMatch = (direction: Direction, { peers, ports }: AllowedConnections): string =>
  [...peerMatches(direction === 'Ingress' ? CLIENT : SERVER, peers), ...portMatches(ports)].join(' ')
