/** Allocates the cluster IPs and node ports of Services. */
import { isIPv4 } from 'node:net'
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '#kit'
import { type FieldError, goStrings, invalid, type Stored } from '#platform/kube/meta'

const FIRST_NODE_PORT = 30_000
const LAST_NODE_PORT = 32_767
/** Host numbers in 10.96.0.0/16. Lower ones are kept for static addresses until all others are allocated. */
const FIRST_DYNAMIC_HOST = 256
const LAST_HOST = 0xfffe

export interface ServiceAddresses {
  /** Sets the missing addresses and ports of the draft and returns errors. Reserves nothing. */
  assign(draft: Stored<Service>, old: Stored<Service> | undefined): FieldError[]
  /** Releases the addresses and ports of `old` and reserves those of the stored Service. */
  updateReservations(service: Stored<Service> | undefined, old: Stored<Service> | undefined): void
}

type PortSpec = NonNullable<Service['spec']>['ports']

const nodePortsOf = (service: Stored<Service> | undefined): string[] =>
  (service?.spec.ports ?? []).flatMap((port) =>
    port.nodePort === undefined ? [] : [`${port.protocol ?? 'TCP'}/${port.nodePort}`],
  )

const needsNodePorts = (service: Stored<Service>): boolean =>
  service.spec.type === 'NodePort' ||
  (service.spec.type === 'LoadBalancer' && service.spec.allocateLoadBalancerNodePorts !== false)

const isInRange = (address: string): boolean => address.startsWith('10.96.')

/** Returns a free number in the range, searching from a random start; undefined if none is free. */
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

const RANGE_FULL = 'range is full'

const findFreeAddress = (random: Random, allocated: ReadonlySet<string>): string | undefined => {
  const isFree = (host: number): boolean => !allocated.has(addressOf(host))
  const host =
    pickFree(random, FIRST_DYNAMIC_HOST, LAST_HOST, isFree) ??
    pickFree(random, 1, FIRST_DYNAMIC_HOST - 1, isFree)
  return host === undefined ? undefined : addressOf(host)
}

const validateAddress = (address: string, allocated: ReadonlySet<string>): FieldError[] => {
  if (isInRange(address) && !allocated.has(address)) return []
  const problem = isInRange(address)
    ? 'provided IP is already allocated'
    : 'provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/16'
  return [invalid('spec.clusterIPs', goStrings([address]), `failed to allocate IP ${address}: ${problem}`)]
}

const assignAddress = (
  { spec }: Stored<Service>,
  old: Stored<Service> | undefined,
  allocated: ReadonlySet<string>,
  random: Random,
): FieldError[] => {
  if (spec.type === 'ExternalName') return []
  const { clusterIP = '', clusterIPs = [] } = spec
  if (clusterIP === '') {
    // Validation reports `clusterIPs` without `clusterIP`, and families other than IPv4.
    if (clusterIPs.length > 0 || spec.ipFamilies?.[0] !== 'IPv4') return []
    const oldAddress = old !== undefined && old.spec.type !== 'ExternalName' ? old.spec.clusterIP : undefined
    const address = oldAddress ?? findFreeAddress(random, allocated)
    if (address === undefined)
      return [invalid('spec.clusterIPs', null, `failed to allocate a serviceIP: ${RANGE_FULL}`)]
    spec.clusterIP = address
    spec.clusterIPs = [address]
    return []
  }
  // Validation reports addresses that are not IPv4.
  if (clusterIP === old?.spec.clusterIP || !isIPv4(clusterIP)) return []
  return validateAddress(clusterIP, allocated)
}

const validateNodePort = (nodePort: number, isAllocated: boolean): string | undefined => {
  if (nodePort < FIRST_NODE_PORT || nodePort > LAST_NODE_PORT)
    return `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`
  return isAllocated ? 'provided port is already allocated' : undefined
}

const assignPorts = (
  draft: Stored<Service>,
  old: Stored<Service> | undefined,
  allocated: ReadonlySet<string>,
  random: Random,
): FieldError[] => {
  const list: PortSpec = draft.spec.ports ?? []
  if (!needsNodePorts(draft)) return []
  const ownPorts = new Set(nodePortsOf(old))
  const assigned = new Set<string>(ownPorts)
  const findFree = (protocol: string): number | undefined =>
    pickFree(random, FIRST_NODE_PORT, LAST_NODE_PORT, (port) => {
      const key = `${protocol}/${port}`
      return !allocated.has(key) && !assigned.has(key)
    })
  const errors: FieldError[] = []
  list.forEach((port, index) => {
    const protocol = port.protocol ?? 'TCP'
    const report = (value: number, problem: string): void => {
      errors.push(invalid(`spec.ports[${index}].nodePort`, value, problem))
    }
    if (port.nodePort === undefined || port.nodePort === 0) {
      const oldPort = old?.spec.ports?.find(
        (candidate) => candidate.port === port.port && (candidate.protocol ?? 'TCP') === protocol,
      )
      const chosen = oldPort?.nodePort ?? findFree(protocol)
      if (chosen === undefined) report(0, `failed to allocate a nodePort: ${RANGE_FULL}`)
      else port.nodePort = chosen
    } else {
      const key = `${protocol}/${port.nodePort}`
      const problem = validateNodePort(port.nodePort, allocated.has(key) && !ownPorts.has(key))
      if (problem !== undefined) report(port.nodePort, problem)
    }
    assigned.add(`${protocol}/${port.nodePort}`)
  })
  return errors
}

export const createServiceAddresses = (random: Random): ServiceAddresses => {
  const addresses = new Set<string>()
  const ports = new Set<string>()

  return {
    assign: (draft, old) => [
      ...assignAddress(draft, old, addresses, random),
      ...assignPorts(draft, old, ports, random),
    ],
    updateReservations(service, old) {
      if (old?.spec.clusterIP !== undefined) addresses.delete(old.spec.clusterIP)
      for (const port of nodePortsOf(old)) ports.delete(port)
      if (service?.spec.clusterIP !== undefined && service.spec.clusterIP !== 'None')
        addresses.add(service.spec.clusterIP)
      for (const port of nodePortsOf(service)) ports.add(port)
    },
  }
}
