/** Creates the view of a system for faults, problems and oracles. */
import { defined } from '#kit'
import {
  type ApiObject,
  type Impact,
  podTemplateOf,
  replicasOf,
  type System,
  type SystemView,
  viewAs,
  type WorkloadView,
} from '#spec'

const WORKLOAD_KINDS: readonly string[] = ['Deployment', 'StatefulSet']
const NO_IMPACT: Impact = { down: [], slow: [], starved: [], lossy: [] }

const toWorkload = (manifest: ApiObject): WorkloadView => {
  const template = podTemplateOf(manifest)
  return {
    kind: manifest.kind as WorkloadView['kind'],
    name: manifest.metadata.name,
    service: template?.metadata?.labels?.app ?? manifest.metadata.name,
    replicas: replicasOf(manifest),
    manifest,
    podSpec: template?.spec ?? { containers: [] },
  }
}

/** Lists the tags of a service's releases, each with `good` or the kind of its first defect. */
const listReleases = (system: System, service: string): [tag: string, quality: string][] => {
  const declared = system.releases?.[service]
  if (declared !== undefined) return Object.entries(declared)
  const releases = system.topology?.services[service]?.deploy.releases ?? {}
  return Object.entries(releases).map(([tag, { defects = [] }]) => [tag, defects[0]?.kind ?? 'good'])
}

/** Returns the service whose pods a Kubernetes Service selects. */
const selectedServiceOf = ({ manifests }: System, name: string): string => {
  const service = (manifests as readonly ApiObject[]).find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === name,
  )
  return (service && viewAs('Service', service).spec?.selector?.app) ?? name
}

/** Finds all services that user requests can reach, directly or indirectly. */
const findReachable = (system: System): ReadonlySet<string> => {
  const found = new Set(system.entryPoints.map(({ service }) => selectedServiceOf(system, service)))
  for (const from of found) for (const edge of system.edges ?? []) if (edge.from === from) found.add(edge.to)
  return found
}

export const createSystemView = (system: System): SystemView => {
  const objects = system.manifests as readonly ApiObject[]
  const workloads = objects.filter(({ kind }) => WORKLOAD_KINDS.includes(kind)).map(toWorkload)
  const journeys = (system.workload?.journeys ?? []).filter(({ weight }) => weight > 0)
  const edges = system.edges ?? []
  const journeyNames = journeys.map(({ name }) => name)
  const reachable = findReachable(system)
  const estimateImpact = (service: string): Impact =>
    reachable.has(service)
      ? { down: journeyNames, slow: journeyNames, starved: journeyNames, lossy: journeyNames }
      : NO_IMPACT
  return {
    name: system.name,
    namespace: system.namespace,
    workloads,
    objects,
    edges,
    journeys,
    ...defined({ topology: system.topology }),
    releasesOf(service) {
      const releases = listReleases(system, service)
      return {
        good: releases.filter(([, quality]) => quality === 'good').map(([tag]) => tag),
        bad: new Map(
          releases.filter(([, quality]) => quality !== 'good').map(([tag, defect]) => [defect, tag]),
        ),
      }
    },
    impactOf: (service) =>
      system.impact === undefined ? estimateImpact(service) : (system.impact[service] ?? NO_IMPACT),
    workloadOf(service) {
      const workload = workloads.find((candidate) => candidate.service === service)
      if (workload === undefined)
        throw new Error(`${system.name} has no workload for the service "${service}"`)
      return workload
    },
    entrypointOf: (image) => system.images.find(({ name }) => name === image)?.entrypoint,
    callersOf: (service) => edges.filter(({ to }) => to === service).map(({ from }) => from),
  }
}
