/** The pods that are in the network: each a namespace, an address and a pair of devices that lead to it. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import {
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
} from '../../../linux/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { PodAttachment } from '../../ports/index.ts'
import { OUTSIDE_ADDRESS, POD_ROUTER } from '../addresses.ts'
import type { NetworkNode } from '../cluster-network.ts'
import { type AddressPool, createAddressPool } from './address-pool.ts'
import { type HostPort, hostPortsOf } from './host-ports.ts'
import { resolvConfOf } from './resolv-conf.ts'
import { writeSettings } from './write-settings.ts'

/** A pod in the network, for those who make rules of it. */
export interface AttachedPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly ip: string
  readonly hostNetwork: boolean
  readonly hostPorts: readonly HostPort[]
}

export interface PodAttachments {
  /** Throws in the kubelet's words. A pod that is there already stays as it is. */
  attach(pod: Stored<Pod>, node: NetworkNode): PodAttachment
  detach(uid: string): void
  namespaceOf(uid: string): NetworkNamespace | undefined
  list(): readonly AttachedPod[]
  close(): void
}

interface Place extends AttachedPod {
  readonly attachment: PodAttachment
  readonly space: NetworkNamespace
  leave(): void
}

/** The number of `eth0`: the first after the loopback, as if the kernel had chosen. */
const ETH0 = 2
const FIRST_DEVICE = 100
/** What the kernel says of a route whose device is no more: the pod itself may have taken it away. */
const GONE: ReadonlySet<string> = new Set(['ESRCH', 'ENODEV'])

/** Ordinary users may ping and listen on every port; addresses are of version 4, but for the loopback. */
const POD_SETTINGS = {
  'ipv4/ping_group_range': '0 2147483647',
  'ipv4/ip_unprivileged_port_start': '0',
  'ipv6/conf/default/disable_ipv6': '1',
}

const setUpInside = (space: NetworkNamespace, ip: string): void => {
  const routes = openRouteSocket(space)
  try {
    routes.setUp(LOOPBACK)
    routes.addAddress(ETH0, ip)
    routes.setUp(ETH0)
    routes.putRoute({ destination: `${POD_ROUTER}/32`, device: ETH0 })
    routes.putRoute({ destination: '0.0.0.0/0', device: ETH0, gateway: POD_ROUTER })
  } finally {
    routes.close()
  }
}

/** A namespace with a way in and out; the way is gone with the namespace. */
const connectSpace = (routes: RouteSocket, device: number, ip: string): NetworkNamespace => {
  const space = createNetworkNamespace()
  try {
    writeSettings(space, POD_SETTINGS)
    const near = { index: device, name: `veth${device.toString(36)}` }
    routes.addPair(near, { index: ETH0, name: 'eth0', namespace: space })
    routes.addAddress(device, POD_ROUTER)
    routes.setUp(device)
    routes.putRoute({ destination: `${ip}/32`, device, source: OUTSIDE_ADDRESS })
    setUpInside(space, ip)
    routes.awaitPair(device)
    return space
  } catch (error) {
    space.close()
    throw error
  }
}

export const createPodAttachments = (
  cluster: NetworkNamespace,
  routes: RouteSocket,
  nodes: readonly NetworkNode[],
): PodAttachments => {
  const places = new Map<string, Place>()
  const pools = new Map<string, AddressPool>(
    nodes.map(({ name, podCIDR }) => [name, createAddressPool(podCIDR)]),
  )
  let device = FIRST_DEVICE
  let closed = false

  const enter = (ip: string, pool: AddressPool): Pick<Place, 'space' | 'leave'> => {
    device += 1
    const own = device
    const space = connectSpace(routes, own, ip)
    return {
      space,
      leave() {
        try {
          // Whoever still holds the namespace keeps the device: without the route nothing gets there any more.
          routes.removeRoute({ destination: `${ip}/32`, device: own })
        } catch (error) {
          if (!GONE.has((error as { code?: string }).code ?? '')) throw error
        } finally {
          space.close()
          pool.giveBack(ip)
        }
      },
    }
  }

  const enterWithAddress = (pool: AddressPool): Pick<Place, 'ip' | 'space' | 'leave'> => {
    const ip = pool.take()
    try {
      return { ip, ...enter(ip, pool) }
    } catch (error) {
      pool.giveBack(ip)
      throw error
    }
  }

  return {
    attach(pod, node) {
      if (closed) throw new Error('the network is closed')
      const { uid, namespace = 'default', name } = pod.metadata
      const there = places.get(uid)
      if (there !== undefined) return there.attachment
      const hostNetwork = pod.spec.hostNetwork === true
      const place = hostNetwork
        ? { ip: node.hostIP, space: cluster, leave: () => {} }
        : enterWithAddress(pools.get(node.name)!)
      const attachment = {
        ip: place.ip,
        namespacePath: place.space.path,
        resolvConf: resolvConfOf(pod),
      }
      const hostPorts = hostPortsOf(pod, node)
      places.set(uid, { uid, namespace, name, hostNetwork, hostPorts, ...place, attachment })
      return attachment
    },
    detach(uid) {
      const place = places.get(uid)
      places.delete(uid)
      place?.leave()
    },
    namespaceOf: (uid) => places.get(uid)?.space,
    list: () => [...places.values()],
    close() {
      closed = true
      for (const { leave } of places.values()) leave()
      places.clear()
    },
  }
}
