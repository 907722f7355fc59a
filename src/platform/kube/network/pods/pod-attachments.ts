/** The attached pods. Each has a network namespace, an address and a veth pair, unless it uses hostNetwork. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '#kit'
import type { NetworkNamespace } from '#machine/linux'
import {
  type AddressPool,
  type AttachedPodIdentity,
  createAddressPool,
  type HostPort,
  hostPortsOf,
  type NetworkNode,
  resolvConfOf,
} from '#platform/kube/connectivity'
import type { Stored } from '#platform/kube/meta'
import type { PodAttachment } from '#platform/kube/ports'
import type { ClusterMachine } from '../cluster-machine.ts'
import { createConnectedNamespace, deviceName } from './create-connected-namespace.ts'

/** The data of an attached pod from which rules are built. */
export interface AttachedPod extends AttachedPodIdentity {
  readonly hostPorts: readonly HostPort[]
}

export interface PodAttachments {
  /** Throws with the CNI plugin's message. Returns the existing attachment of an attached pod. */
  attach(pod: Stored<Pod>, node: NetworkNode): PodAttachment
  detach(uid: string): void
  namespaceOf(uid: string): NetworkNamespace | undefined
  /** The cluster's end of the pod's veth pair; undefined for a pod with hostNetwork. */
  deviceOf(uid: string): string | undefined
  list(): readonly AttachedPod[]
  close(): void
}

interface ConnectedPod extends AttachedPod {
  readonly attachment: PodAttachment
  readonly space: NetworkNamespace
  readonly device?: string
  disconnect(): void
}

/** Smaller numbers are used for the nodes. */
const FIRST_DEVICE = 100
/** Five digits in the name of the device. */
const DEVICES = 36 ** 4
/** The kernel's errors for a route whose device no longer exists: the pod may have removed it. */
const MISSING_DEVICE_ERRORS: ReadonlySet<string> = new Set(['ESRCH', 'ENODEV'])

/** One pool of addresses for each node, in ascending order unless `random` is given. */
const createPools = (nodes: readonly NetworkNode[], random: Random | undefined): Map<string, AddressPool> =>
  new Map(
    nodes.map(({ name, podCIDR }) => [
      name,
      createAddressPool(podCIDR, random?.fork(`addresses of ${name}`)),
    ]),
  )

/** The interface index of the cluster's end, which the pod sees: it must not count the pods, unless `random` is missing. */
const createDeviceNumbers = (random: Random | undefined) => {
  const used = new Set<number>()
  let last = FIRST_DEVICE
  return {
    draw(): number {
      do last = random === undefined ? last + 1 : FIRST_DEVICE + 1 + random.below(DEVICES)
      while (used.has(last))
      used.add(last)
      return last
    },
    release: (device: number): void => void used.delete(device),
  }
}

export const createPodAttachments = (
  { routes, nodeNamespaces }: Pick<ClusterMachine, 'routes' | 'nodeNamespaces'>,
  nodes: readonly NetworkNode[],
  random?: Random,
): PodAttachments => {
  const attached = new Map<string, ConnectedPod>()
  const pools = createPools(nodes, random)
  const devices = createDeviceNumbers(random?.fork('devices'))
  let closed = false

  const connectPod = (
    ip: string,
    pool: AddressPool,
  ): Pick<ConnectedPod, 'space' | 'device' | 'disconnect'> => {
    const podDevice = devices.draw()
    const space = createConnectedNamespace(routes, podDevice, ip)
    return {
      space,
      device: deviceName(podDevice),
      disconnect() {
        try {
          // A process that still holds the namespace keeps the device, so the route must be removed explicitly.
          routes.removeRoute({ destination: `${ip}/32`, device: podDevice })
        } catch (error) {
          if (!MISSING_DEVICE_ERRORS.has((error as { code?: string }).code ?? '')) throw error
        } finally {
          space.close()
          pool.release(ip)
          devices.release(podDevice)
        }
      },
    }
  }

  const connectWithAddress = (
    pool: AddressPool,
  ): Pick<ConnectedPod, 'ip' | 'space' | 'device' | 'disconnect'> => {
    const ip = pool.allocate()
    try {
      return { ip, ...connectPod(ip, pool) }
    } catch (error) {
      pool.release(ip)
      throw error
    }
  }

  return {
    attach(pod, node) {
      if (closed) throw new Error('the network is closed')
      const { uid, namespace = 'default', name } = pod.metadata
      const existing = attached.get(uid)
      if (existing !== undefined) return existing.attachment
      const hostNetwork = pod.spec.hostNetwork === true
      const connection = hostNetwork
        ? { ip: node.hostIP, space: nodeNamespaces.get(node.name)!, disconnect: () => {} }
        : connectWithAddress(pools.get(node.name)!)
      const attachment = {
        ip: connection.ip,
        namespacePath: connection.space.path,
        resolvConf: resolvConfOf(pod),
      }
      const hostPorts = hostPortsOf(pod, node)
      attached.set(uid, { uid, namespace, name, hostNetwork, hostPorts, ...connection, attachment })
      return attachment
    },
    detach(uid) {
      const connection = attached.get(uid)
      attached.delete(uid)
      connection?.disconnect()
    },
    namespaceOf: (uid) => attached.get(uid)?.space,
    deviceOf: (uid) => attached.get(uid)?.device,
    list: () => [...attached.values()],
    close() {
      closed = true
      for (const { disconnect } of attached.values()) disconnect()
      attached.clear()
    },
  }
}
