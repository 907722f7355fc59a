/** Edits of the probes of the container that serves. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, ContainerView, FaultCase, Finding, Scene, SystemView } from '../spec/index.ts'
import { mainContainer, podSpecOf, workloadIn } from './containers.ts'

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

const WAYS = Object.keys(NO_WAY)

/** How it asks, without how often; only what was said, as the API adds what is usual. */
const wayOf = (probe: unknown): object =>
  Object.fromEntries(
    Object.entries((probe ?? {}) as Readonly<Record<string, object | null>>)
      .filter(([name, way]) => WAYS.includes(name) && way !== null)
      .map(([name, way]) => {
        const { scheme: _, ...said } = way as { scheme?: string }
        return [name, said]
      }),
  )

const portsOf = (way: object): readonly unknown[] =>
  Object.values(way as Readonly<Record<string, { port?: unknown }>>).flatMap(({ port }) => port ?? [])

/** Whether it asks where the container says that it listens, or where it was asked before. */
const asksListener = (container: ContainerView, field: ProbeField, way: object): boolean => {
  const declared = (container.ports ?? []) as readonly { name?: string; containerPort: number }[]
  const known = [
    ...declared.flatMap(({ name, containerPort }) => [name, containerPort]),
    ...portsOf(wayOf(container[field])),
  ]
  return declared.length === 0 || portsOf(way).every((port) => known.includes(port as string | number))
}

/** Whether the probe does not ask any more in the way that is wrong, nor where nobody listens; how often it asks does not matter. */
export const asksRightly = (scene: Scene, field: ProbeField, wrong: object): Finding => {
  const workload = workloadIn(scene.now, scene.system.workloadOf(scene.target.service))
  const probe = workload === undefined ? undefined : probeIn(workload, scene, field)
  return {
    holds:
      workload !== undefined &&
      !isDeepStrictEqual(wayOf(probe), wayOf(wrong)) &&
      asksListener(mainContainer(scene.system, scene.target.service), field, wayOf(probe)),
    evidence: `the ${field} of ${scene.target.service} is ${JSON.stringify(probe ?? null)}`,
  }
}
