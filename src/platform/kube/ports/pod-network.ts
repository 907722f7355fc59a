/** The port between a container runtime and the network of the cluster. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { Reply } from './runtime.ts'

/** A pod's attachment to the network. */
export interface PodAttachment {
  readonly ip: string
  /** The path of its network namespace, for programs that join it. */
  readonly namespacePath: string
  /** The content of the pod's /etc/resolv.conf. */
  readonly resolvConf: string
}

export interface PodNetwork {
  /** Creates a network namespace and an address for the pod; a host-network pod gets those of the node. */
  attachPod(pod: Stored<Pod>, nodeName: string, reply: Reply<PodAttachment>): void
  /** Removes the pod's namespace and address. Succeeds if the pod is not attached. */
  detachPod(uid: string, reply: Reply<void>): void
  /** Connects inside the pod to a TCP port, on its loopback interface by default. Rejects if no process listens. */
  connectLocal(uid: string, port: number, host?: string): Promise<import('node:net').Socket>
  /** Connects from the pod's node to any TCP address, as the kubelet's probes do. */
  connectFromNode(
    nodeName: string,
    host: string,
    port: number,
    signal: AbortSignal,
  ): Promise<import('node:net').Socket>
}
