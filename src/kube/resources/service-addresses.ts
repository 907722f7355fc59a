/** Cluster addresses and node ports of Services: given out once each, taken back on deletion. */
import { isIPv4 } from 'node:net'
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '../../kit/index.ts'
import { type FieldError, goStrings, invalid, type Stored } from '../meta/index.ts'

const FIRST_NODE_PORT = 30_000
const LAST_NODE_PORT = 32_767
/** Hosts of 10.96.0.0/16. The lower ones are left to addresses that people choose, while others last. */
const LOWEST_DYNAMIC = 256
const LAST_HOST = 0xfffe

export interface ServiceAddresses {
  /** Gives the draft what it asks for or lacks; tells what cannot be had. Nothing is reserved yet. */
  assign(draft: Stored<Service>, old: Stored<Service> | undefined): FieldError[]
  /** Reserves what a stored Service holds and frees what its predecessor held. */
  settle(service: Stored<Service> | undefined, old: Stored<Service> | undefined): void
}

type PortSpec = NonNullable<Service['spec']>['ports']

const nodePortsOf = (service: Stored<Service> | undefined): string[] =>
  (service?.spec.ports ?? []).flatMap((port) =>
    port.nodePort === undefined ? [] : [`${port.protocol ?? 'TCP'}/${port.nodePort}`],
  )

const needsNodePorts = (service: Stored<Service>): boolean =>
  service.spec.type === 'NodePort' ||
  (service.spec.type === 'LoadBalancer' && service.spec.allocateLoadBalancerNodePorts !== false)

const inRange = (address: string): boolean => isIPv4(address) && address.startsWith('10.96.')

/** Something free, begun at a random place; undefined where nothing is. */
const pickFree = (
  random: Random,
  first: number,
  last: number,
  isFree: (candidate: number) => boolean,
): number | undefined => {
  const size = last - first + 1
  const start = random.below(size)
  for (let step = 0; step < size; step += 1) {
    const candidate = first + ((start + step) % size)
    if (isFree(candidate)) return candidate
  }
  return undefined
}

const addressOf = (host: number): string => `10.96.${host >> 8}.${host & 0xff}`

const FULL = 'range is full'

export const createServiceAddresses = (random: Random): ServiceAddresses => {
  const addresses = new Set<string>()
  const ports = new Set<string>()

  const freeAddress = (): string | undefined => {
    const isFree = (host: number): boolean => !addresses.has(addressOf(host))
    const host =
      pickFree(random, LOWEST_DYNAMIC, LAST_HOST, isFree) ?? pickFree(random, 1, LOWEST_DYNAMIC - 1, isFree)
    return host === undefined ? undefined : addressOf(host)
  }

  const freePort = (protocol: string, taken: ReadonlySet<string>): number | undefined =>
    pickFree(random, FIRST_NODE_PORT, LAST_NODE_PORT, (port) => {
      const key = `${protocol}/${port}`
      return !ports.has(key) && !taken.has(key)
    })

  const assignAddress = (draft: Stored<Service>, old: Stored<Service> | undefined): FieldError[] => {
    const { spec } = draft
    if (spec.type === 'ExternalName') {
      delete spec.clusterIP
      delete spec.clusterIPs
      return []
    }
    if (spec.clusterIP === undefined || spec.clusterIP === '') {
      const kept = old !== undefined && old.spec.type !== 'ExternalName' ? old.spec.clusterIP : undefined
      const address = spec.clusterIPs?.[0] ?? kept ?? freeAddress()
      if (address === undefined)
        return [invalid('spec.clusterIPs', null, `failed to allocate a serviceIP: ${FULL}`)]
      spec.clusterIP = address
    }
    spec.clusterIPs = [spec.clusterIP]
    if (spec.clusterIP === 'None' || spec.clusterIP === old?.spec.clusterIP) return []
    const problem = inRange(spec.clusterIP)
      ? 'provided IP is already allocated'
      : 'provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/16'
    return inRange(spec.clusterIP) && !addresses.has(spec.clusterIP)
      ? []
      : [
          invalid(
            'spec.clusterIPs',
            goStrings(spec.clusterIPs),
            `failed to allocate IP ${spec.clusterIP}: ${problem}`,
          ),
        ]
  }

  const assignPorts = (draft: Stored<Service>, old: Stored<Service> | undefined): FieldError[] => {
    const held = new Set(nodePortsOf(old))
    const taken = new Set<string>(held)
    const errors: FieldError[] = []
    const list: PortSpec = draft.spec.ports ?? []
    if (!needsNodePorts(draft)) {
      // A change back to ClusterIP gives the ports up, unless the client asks for them by name.
      if (draft.spec.type === 'ClusterIP') for (const port of list) delete port.nodePort
      return []
    }
    list.forEach((port, index) => {
      const protocol = port.protocol ?? 'TCP'
      if (port.nodePort === undefined || port.nodePort === 0) {
        const before = old?.spec.ports?.find(
          (one) => one.port === port.port && (one.protocol ?? 'TCP') === protocol,
        )
        const chosen = before?.nodePort ?? freePort(protocol, taken)
        if (chosen === undefined)
          errors.push(invalid(`spec.ports[${index}].nodePort`, 0, `failed to allocate a nodePort: ${FULL}`))
        else port.nodePort = chosen
      } else if (port.nodePort < FIRST_NODE_PORT || port.nodePort > LAST_NODE_PORT) {
        errors.push(
          invalid(
            `spec.ports[${index}].nodePort`,
            port.nodePort,
            `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`,
          ),
        )
      } else if (ports.has(`${protocol}/${port.nodePort}`) && !held.has(`${protocol}/${port.nodePort}`)) {
        errors.push(
          invalid(`spec.ports[${index}].nodePort`, port.nodePort, 'provided port is already allocated'),
        )
      }
      taken.add(`${protocol}/${port.nodePort}`)
    })
    return errors
  }

  return {
    assign: (draft, old) => [...assignAddress(draft, old), ...assignPorts(draft, old)],
    settle(service, old) {
      if (old?.spec.clusterIP !== undefined) addresses.delete(old.spec.clusterIP)
      for (const port of nodePortsOf(old)) ports.delete(port)
      if (service?.spec.clusterIP !== undefined && service.spec.clusterIP !== 'None')
        addresses.add(service.spec.clusterIP)
      for (const port of nodePortsOf(service)) ports.add(port)
    },
  }
}
