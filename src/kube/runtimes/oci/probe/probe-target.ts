/** What a probe is about, and where it starts from. */
import type { Socket } from 'node:net'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../../kit/index.ts'
import type { Stored } from '../../../meta/index.ts'
import type { PodNetwork } from '../../../ports/index.ts'
import type { ContainerInstance } from '../container-instance.ts'
import type { OciProgram } from '../exec-process.ts'

export interface ProbeTarget {
  oci: OciProgram
  network: PodNetwork
  clock: Clock
  pod: Stored<Pod>
  /** Nothing where the container has been forgotten. */
  instance: ContainerInstance | undefined
}

/** As much of an answer as a kubelet reads. */
export const MOST_OUTPUT = 10 * 1024

/** The words of Go's network library for what went wrong. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
  ECONNRESET: 'connect: connection reset by peer',
}

export const reasonOf = (error: Error): string =>
  REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? error.message

/** The address that a probe without a host means. */
export const hostOf = ({ pod }: ProbeTarget, host: string): string => host || (pod.status?.podIP ?? '')

/** A connection from the pod's node. Rejects with the words of Go: `dial tcp 10.244.0.5:80: ...`. */
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
    // Of names that are not known the network itself speaks in these words.
    if ((error as Error).message.startsWith('dial tcp')) throw error
    const reason = signal.aborted ? 'i/o timeout' : reasonOf(error as Error)
    throw Object.assign(new Error(`dial tcp ${host}:${port}: ${reason}`), { cause: error })
  }
}
