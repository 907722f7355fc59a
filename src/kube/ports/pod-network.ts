/** The port between a container runtime and the network of the cluster. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../meta/index.ts'
import type { Reply } from './runtime.ts'

/** A pod's place in the network. */
export interface PodAttachment {
  readonly ip: string
  /** The path of its network namespace, for programs that join it. */
  readonly namespacePath: string
  /** What the pod's /etc/resolv.conf says. */
  readonly resolvConf: string
}

export interface PodNetwork {
  /** Gives the pod a namespace and an address; a pod of the host's network gets the node's. */
  attachPod(pod: Stored<Pod>, nodeName: string, reply: Reply<PodAttachment>): void
  /** Takes both away again. Replies also when there was nothing. */
  detachPod(uid: string, reply: Reply<void>): void
  /** A TCP connection to a port on the pod's own loopback. Rejects when nothing listens. */
  connectLocal(uid: string, port: number): Promise<import('node:net').Socket>
  /** A TCP connection from the pod's node to any address, as the kubelet's probes make. */
  connectFromNode(
    nodeName: string,
    host: string,
    port: number,
    signal: AbortSignal,
  ): Promise<import('node:net').Socket>
}
