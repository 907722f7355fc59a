/** Looks up names of the cluster's zone by the Kubernetes DNS specification, as CoreDNS does. */
import type { DnsIndex, NamedPort, ServiceEndpoint } from './dns-index.ts'

/** The records of a name. An empty list means that the name exists without such records. */
export interface NameData {
  readonly addresses: readonly string[]
  readonly services: readonly { readonly target: string; readonly port: number }[]
  /** The target of a CNAME. */
  readonly alias?: string
  readonly texts?: readonly string[]
}

export interface ClusterZone {
  /**
   * Returns undefined if the name does not exist. `name` is lowercase, without a trailing dot, and ends with
   * the cluster's domain.
   */
  find(name: string): NameData | undefined
  /** Returns the names of an address, which is given as a name such as `10.0.96.10.in-addr.arpa`. */
  reverse(name: string): readonly string[]
}

/** The version of the Kubernetes DNS specification. */
const SPECIFICATION_VERSION = '1.1.0'
const EMPTY: NameData = { addresses: [], services: [] }
const POD_NAME = /^(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})$/
const REVERSE_NAME = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.in-addr\.arpa$/

/** The labels before the Service's name: a hostname, or a port and its protocol. */
interface NamePrefix {
  readonly hostname?: string
  readonly port?: string
  readonly protocol?: string
}

const parsePrefix = (labels: readonly string[]): NamePrefix | undefined => {
  if (labels.length === 0) return {}
  if (labels.length === 1) return { hostname: labels[0]! }
  const [port, protocol] = labels as [string, string]
  if (labels.length > 2 || !port.startsWith('_') || !protocol.startsWith('_')) return undefined
  return { port: port.slice(1), protocol: protocol.slice(1) }
}

const matchesPort = ({ port, protocol }: NamePrefix, candidate: NamedPort): boolean =>
  (port === undefined || port === candidate.name.toLowerCase()) &&
  (protocol === undefined || protocol === candidate.protocol)

const addressOf = (octets: readonly string[]): string | undefined =>
  octets.every((octet) => Number(octet) < 256) ? octets.map(Number).join('.') : undefined

export const createClusterZone = (index: DnsIndex, domain: string): ClusterZone => {
  const suffix = `.${domain}`

  const findEndpoints = (
    base: string,
    prefix: NamePrefix,
    endpoints: readonly ServiceEndpoint[],
  ): NameData | undefined => {
    const matching = endpoints.filter(
      ({ hostname, ports }) =>
        (prefix.hostname === undefined || prefix.hostname === hostname.toLowerCase()) &&
        (prefix.port === undefined || ports.some((port) => matchesPort(prefix, port))),
    )
    if (matching.length === 0) return undefined
    const targets = new Map<string, { target: string; port: number }>()
    for (const { hostname, ports } of matching)
      for (const port of ports)
        if (matchesPort(prefix, port))
          targets.set(`${hostname}:${port.port}`, { target: `${hostname}.${base}`, port: port.port })
    return { addresses: [...new Set(matching.map(({ ip }) => ip))], services: [...targets.values()] }
  }

  const findService = (namespace: string, name: string, prefix: NamePrefix): NameData | undefined => {
    const service = index.serviceOf(namespace, name)
    if (service === undefined) return undefined
    const { spec } = service
    const hasNoPrefix = prefix.hostname === undefined && prefix.port === undefined
    if (spec.type === 'ExternalName')
      return hasNoPrefix ? { ...EMPTY, alias: spec.externalName!.replace(/\.$/, '') } : undefined
    const base = `${name}.${namespace}.svc${suffix}`
    if (spec.clusterIP === 'None' || prefix.hostname !== undefined)
      return findEndpoints(base, prefix, index.endpointsOf(namespace, name))
    const ports = (spec.ports ?? [])
      .map(({ name: portName = '', protocol = 'TCP', port }) => ({
        name: portName,
        protocol: protocol.toLowerCase(),
        port,
      }))
      .filter((port) => matchesPort(prefix, port))
    if (ports.length === 0 && !hasNoPrefix) return undefined
    return {
      addresses: spec.clusterIP === undefined ? [] : [spec.clusterIP],
      services: ports.map(({ port }) => ({ target: base, port })),
    }
  }

  const findPod = (labels: readonly string[]): NameData | undefined => {
    if (labels.length === 0) return EMPTY
    const octets = labels.length === 1 ? POD_NAME.exec(labels[0]!)?.slice(1) : undefined
    const address = octets === undefined ? undefined : addressOf(octets)
    return address === undefined ? undefined : { addresses: [address], services: [] }
  }

  return {
    find(name) {
      if (name === domain) return EMPTY
      const labels = name.slice(0, -suffix.length).split('.')
      const type = labels.pop()
      if (type === 'dns-version' && labels.length === 0) return { ...EMPTY, texts: [SPECIFICATION_VERSION] }
      if (type !== 'svc' && type !== 'pod') return undefined
      const namespace = labels.pop()
      if (namespace === undefined) return EMPTY
      if (!index.hasNamespace(namespace)) return undefined
      if (type === 'pod') return findPod(labels)
      const service = labels.pop()
      if (service === undefined) return EMPTY
      const prefix = parsePrefix(labels)
      return prefix === undefined ? undefined : findService(namespace, service, prefix)
    },
    reverse(name) {
      const octets = REVERSE_NAME.exec(name)?.slice(1).reverse()
      const address = octets === undefined ? undefined : addressOf(octets)
      return address === undefined
        ? []
        : index.namesAt(address).map((serviceName) => `${serviceName.replace(/([^.]+)$/, '$1.svc')}${suffix}`)
    },
  }
}
