/** The ports of its node that a pod asks for. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../meta/index.ts'
import type { NetworkNode } from '../cluster-network.ts'

export interface HostPort {
  readonly address: string
  readonly protocol: string
  readonly port: number
  readonly containerPort: number
}

/** None for a pod of the host's network: it listens there itself. */
export const hostPortsOf = ({ spec }: Stored<Pod>, { hostIP }: NetworkNode): HostPort[] => {
  if (spec.hostNetwork === true) return []
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap(
    (container) => container.ports ?? [],
  )
  return ports.flatMap(({ hostPort = 0, hostIP: wanted = '', protocol = 'TCP', containerPort }) =>
    hostPort > 0 && ['', '0.0.0.0', hostIP].includes(wanted)
      ? [{ address: hostIP, protocol: protocol.toLowerCase(), port: hostPort, containerPort }]
      : [],
  )
}
