/** The target of a probe, and connections to it from its node. */
import type { Socket } from 'node:net'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { PodNetwork } from '#platform/kube/ports'
import type { OciProgram } from '../access/exec-process.ts'
import type { ContainerInstance } from '../containers/container-instance.ts'

export interface ProbeTarget {
  oci: OciProgram
  network: PodNetwork
  clock: Clock
  pod: Stored<Pod>
  /** Undefined if the container has been removed. */
  instance: ContainerInstance | undefined
}

/** The number of bytes that a kubelet reads from a response. */
export const MAX_OUTPUT = 10 * 1024

/** The messages of Go's network library. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
  ECONNRESET: 'connect: connection reset by peer',
}

export const reasonOf = (error: Error): string =>
  REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? error.message

/** The host of a probe; the pod's address by default. */
export const hostOf = ({ pod }: ProbeTarget, host: string): string => host || (pod.status?.podIP ?? '')

/** Connects from the pod's node. Rejects with Go's message: `dial tcp 10.244.0.5:80: ...`. */
export const dial = async (
  { network, pod }: ProbeTarget,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket> => {
  try {
    const socket = await network.connectFromNode(pod.spec.nodeName ?? '', host, port, signal)
    socket.on('error', () => {})
    return socket
  } catch (error) {
    // The network already uses this form for unknown host names.
    if ((error as Error).message.startsWith('dial tcp')) throw error
    const reason = signal.aborted ? 'i/o timeout' : reasonOf(error as Error)
    throw Object.assign(new Error(`dial tcp ${host}:${port}: ${reason}`), { cause: error })
  }
}
