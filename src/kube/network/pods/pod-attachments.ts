/** The pods that are in the network: each a namespace, an address and a pair of devices that lead to it. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { NetworkNamespace } from '../../../linux/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { PodAttachment } from '../../ports/index.ts'
import type { ClusterMachine } from '../cluster-machine.ts'
import type { NetworkNode } from '../cluster-network.ts'
import { type AddressPool, createAddressPool } from './address-pool.ts'
import { connectSpace, deviceName } from './connect-space.ts'
import { type HostPort, hostPortsOf } from './host-ports.ts'
import { resolvConfOf } from './resolv-conf.ts'

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
  /** The cluster's end of its pair; nothing for a pod in the network of its host. */
  deviceOf(uid: string): string | undefined
  list(): readonly AttachedPod[]
  close(): void
}

interface Place extends AttachedPod {
  readonly attachment: PodAttachment
  readonly space: NetworkNamespace
  readonly device?: string
  leave(): void
}

/** Smaller numbers are those of the nodes. */
const FIRST_DEVICE = 100
/** What the kernel says of a route whose device is no more: the pod itself may have taken it away. */
const GONE: ReadonlySet<string> = new Set(['ESRCH', 'ENODEV'])

export const createPodAttachments = (
  { routes, nodeSpaces }: Pick<ClusterMachine, 'routes' | 'nodeSpaces'>,
  nodes: readonly NetworkNode[],
): PodAttachments => {
  const places = new Map<string, Place>()
  const pools = new Map<string, AddressPool>(
    nodes.map(({ name, podCIDR }) => [name, createAddressPool(podCIDR)]),
  )
  let device = FIRST_DEVICE
  let closed = false

  const enter = (ip: string, pool: AddressPool): Pick<Place, 'space' | 'device' | 'leave'> => {
    device += 1
    const own = device
    const space = connectSpace(routes, own, ip)
    return {
      space,
      device: deviceName(own),
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

  const enterWithAddress = (pool: AddressPool): Pick<Place, 'ip' | 'space' | 'device' | 'leave'> => {
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
        ? { ip: node.hostIP, space: nodeSpaces.get(node.name)!, leave: () => {} }
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
    deviceOf: (uid) => places.get(uid)?.device,
    list: () => [...places.values()],
    close() {
      closed = true
      for (const { leave } of places.values()) leave()
      places.clear()
    },
  }
}
