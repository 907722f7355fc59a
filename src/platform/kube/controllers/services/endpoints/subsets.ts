/** Groups the addresses of pods by their ports into subsets of Endpoints. */
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
} from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { isPodReady } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { hostnameUnder, isHeadless, isReachable, portOf, referenceTo } from '../pod-endpoint.ts'

/** Maximum number of addresses in an Endpoints object. EndpointSlices hold all of them. */
export const CAPACITY = 1000

interface Group {
  ports: EndpointPort[]
  ready: EndpointAddress[]
  notReady: EndpointAddress[]
}

const addressOf = (service: Stored<Service>, pod: Stored<Pod>): EndpointAddress => {
  const hostname = hostnameUnder(service, pod)
  return {
    ip: pod.status.podIP!,
    ...defined({ hostname, nodeName: pod.spec.nodeName }),
    targetRef: referenceTo(pod),
  }
}

const portsOf = (service: Stored<Service>, pod: Stored<Pod>): EndpointPort[] =>
  (service.spec.ports ?? [])
    .flatMap((servicePort) => {
      const port = portOf(pod, servicePort)
      if (port === undefined) return []
      const { name, protocol = 'TCP', appProtocol } = servicePort
      return [
        {
          ...(name === undefined || name === '' ? {} : { name }),
          port,
          protocol,
          ...defined({ appProtocol }),
        },
      ]
    })
    .sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1))

/** Pads the numbers of an IPv4 address so that addresses sort numerically. */
const toSortable = (ip: string): string =>
  ip.includes(':') ? ip : ip.replace(/\d+/g, (part) => part.padStart(3, '0'))

const byAddress = (a: EndpointAddress, b: EndpointAddress): number => {
  const [left, right] = [toSortable(a.ip), toSortable(b.ip)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Returns the subsets of reachable pods, with ready and unready addresses listed separately. */
export const subsetsOf = (service: Stored<Service>, selected: readonly Stored<Pod>[]): EndpointSubset[] => {
  const groups = new Map<string, Group>()
  for (const pod of selected) {
    if (!isReachable(pod) || pod.metadata.deletionTimestamp !== undefined) continue
    const ports = portsOf(service, pod)
    if (ports.length === 0 && !(isHeadless(service) && (service.spec.ports ?? []).length === 0)) continue
    const key = JSON.stringify(ports)
    let group = groups.get(key)
    if (group === undefined) {
      group = { ports, ready: [], notReady: [] }
      groups.set(key, group)
    }
    const isReady = service.spec.publishNotReadyAddresses === true || isPodReady(pod)
    ;(isReady ? group.ready : group.notReady).push(addressOf(service, pod))
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready.sort(byAddress) }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.sort(byAddress) }),
      ...(ports.length === 0 ? {} : { ports }),
    }))
}

/** Limits the subsets to `capacity` addresses; drops unready addresses first. */
export const capSubsets = (
  subsets: EndpointSubset[],
  capacity: number,
): { subsets: EndpointSubset[]; truncated: boolean } => {
  const total = (key: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[key]?.length ?? 0), 0)
  const ready = total('addresses')
  if (ready + total('notReadyAddresses') <= capacity) return { subsets, truncated: false }
  let [readyLeft, notReadyLeft] = [Math.min(ready, capacity), Math.max(0, capacity - ready)]
  const capped = subsets.map(({ addresses = [], notReadyAddresses = [], ports }) => {
    const keptReady = addresses.slice(0, readyLeft)
    const keptNotReady = notReadyAddresses.slice(0, notReadyLeft)
    readyLeft -= keptReady.length
    notReadyLeft -= keptNotReady.length
    return {
      ...(keptReady.length === 0 ? {} : { addresses: keptReady }),
      ...(keptNotReady.length === 0 ? {} : { notReadyAddresses: keptNotReady }),
      ...defined({ ports }),
    }
  })
  const isEmpty = (subset: EndpointSubset): boolean =>
    subset.addresses === undefined && subset.notReadyAddresses === undefined
  return { subsets: capped.filter((subset) => !isEmpty(subset)), truncated: true }
}
