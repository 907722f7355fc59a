/** Makes of a system what faults, problems and oracles want to know of it. */
import type { ApiObject, Impact, PodSpecView, System, SystemView, WorkloadView } from '../spec/index.ts'

const WORKLOADS: readonly string[] = ['Deployment', 'StatefulSet']
const NONE: Impact = { down: [], slow: [], starved: [], lossy: [] }

const toWorkload = (manifest: ApiObject): WorkloadView => {
  const spec = manifest.spec as {
    replicas?: number
    template: { metadata?: { labels?: Record<string, string> }; spec: PodSpecView }
  }
  return {
    kind: manifest.kind as WorkloadView['kind'],
    name: manifest.metadata.name,
    service: spec.template.metadata?.labels?.app ?? manifest.metadata.name,
    replicas: spec.replicas ?? 1,
    manifest,
    podSpec: spec.template.spec,
  }
}

const defectsBy = (system: System, service: string): [tag: string, quality: string][] => {
  const said = system.releases?.[service]
  if (said !== undefined) return Object.entries(said)
  const releases = system.topology?.services[service]?.deploy.releases ?? {}
  return Object.entries(releases).map(([tag, { defects = [] }]) => [tag, defects[0]?.kind ?? 'good'])
}

/** Whom a Service of Kubernetes leads to. */
const behind = ({ manifests }: System, name: string): string => {
  const service = (manifests as readonly ApiObject[]).find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === name,
  )
  return (service?.spec as { selector?: Record<string, string> } | undefined)?.selector?.app ?? name
}

/** Everybody who is called, however far, when a user comes in. */
const reached = (system: System): ReadonlySet<string> => {
  const found = new Set(system.entryPoints.map(({ service }) => behind(system, service)))
  for (const from of found) for (const edge of system.edges ?? []) if (edge.from === from) found.add(edge.to)
  return found
}

export const createSystemView = (system: System): SystemView => {
  const objects = system.manifests as readonly ApiObject[]
  const workloads = objects.filter(({ kind }) => WORKLOADS.includes(kind)).map(toWorkload)
  const journeys = (system.workload?.journeys ?? []).filter(({ weight }) => weight > 0)
  const edges = system.edges ?? []
  const all = journeys.map(({ name }) => name)
  const inUse = reached(system)
  const guess = (service: string): Impact =>
    inUse.has(service) ? { down: all, slow: all, starved: all, lossy: all } : NONE
  return {
    name: system.name,
    namespace: system.namespace,
    workloads,
    objects,
    edges,
    journeys,
    ...(system.topology === undefined ? {} : { topology: system.topology }),
    releasesOf(service) {
      const releases = defectsBy(system, service)
      return {
        good: releases.filter(([, quality]) => quality === 'good').map(([tag]) => tag),
        bad: new Map(
          releases.filter(([, quality]) => quality !== 'good').map(([tag, defect]) => [defect, tag]),
        ),
      }
    },
    impactOf: (service) => (system.impact === undefined ? guess(service) : (system.impact[service] ?? NONE)),
    workloadOf(service) {
      const workload = workloads.find((one) => one.service === service)
      if (workload === undefined)
        throw new Error(`${system.name} has no workload for the service "${service}"`)
      return workload
    },
    callersOf: (service) => edges.filter(({ to }) => to === service).map(({ from }) => from),
  }
}
