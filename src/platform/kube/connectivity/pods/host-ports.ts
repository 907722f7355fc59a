/** The host ports of a pod. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { NetworkNode } from '../network-node.ts'

export interface HostPort {
  readonly address: string
  readonly protocol: string
  readonly port: number
  readonly containerPort: number
}

/** Empty for a pod with hostNetwork, which listens on the host itself. */
export const hostPortsOf = ({ spec }: Stored<Pod>, { hostIP }: NetworkNode): HostPort[] => {
  if (spec.hostNetwork === true) return []
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap(
    (container) => container.ports ?? [],
  )
  return ports.flatMap(({ hostPort = 0, hostIP: requestedIp = '', protocol = 'TCP', containerPort }) =>
    hostPort > 0 && ['', '0.0.0.0', hostIP].includes(requestedIp)
      ? [{ address: hostIP, protocol: protocol.toLowerCase(), port: hostPort, containerPort }]
      : [],
  )
}
