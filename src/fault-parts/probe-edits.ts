/** Edits of the probes of the container that serves. */
import type { ApiObject, ContainerView, FaultCase, SystemView } from '../spec/index.ts'
import { mainContainer, podSpecOf } from './containers.ts'

export type ProbeField = 'livenessProbe' | 'readinessProbe'

/** Without this a patch would leave the old way of asking beside the new one. */
const NO_WAY = { exec: null, httpGet: null, tcpSocket: null, grpc: null }

/** A strategic patch of the pod's spec that makes the probe this one and nothing else. */
export const withProbe = (
  { system, target }: FaultCase,
  field: ProbeField,
  probe: object | undefined,
): object => ({
  containers: [
    {
      name: mainContainer(system, target.service).name,
      [field]: probe === undefined ? null : { ...NO_WAY, ...probe },
    },
  ],
})

/** The probe as the system is deployed with it. */
export const deployedProbe = (system: SystemView, service: string, field: ProbeField): object | undefined =>
  mainContainer(system, service)[field] as object | undefined

/** The probe in a workload as it is. */
export const probeIn = (workload: ApiObject, { system, target }: FaultCase, field: ProbeField): unknown =>
  podSpecOf(workload).containers.find(({ name }) => name === mainContainer(system, target.service).name)?.[
    field
  ]

/** A port that the container does not listen on: the one beside its own. */
export const wrongPort = (container: ContainerView): number => {
  const ports = (container.ports ?? []) as readonly { readonly containerPort: number }[]
  const used = ports.map(({ containerPort }) => containerPort)
  return Math.max(8080, ...used) + 1
}
