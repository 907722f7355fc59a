/** The Services of Kubernetes that lead to the pods of a service. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, FaultTarget, Scene, SystemView } from '../spec/index.ts'
import { isByName, neededEdges } from './needed-edges.ts'
import { isEditable } from './restore-workload.ts'

export interface ServiceSpec {
  readonly type?: string
  readonly clusterIP?: string
  readonly selector?: Readonly<Record<string, string>>
  readonly ports?: readonly ServicePort[]
}

export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly protocol?: string
}

export const serviceSpec = (object: ApiObject | undefined): ServiceSpec => (object?.spec ?? {}) as ServiceSpec

type Labels = Readonly<Record<string, string>>

const labelsOf = (manifest: ApiObject): Labels =>
  (manifest.spec as { template: { metadata?: { labels?: Labels } } }).template.metadata?.labels ?? {}

const selects = (object: ApiObject, labels: Labels): boolean => {
  const selector = Object.entries(serviceSpec(object).selector ?? {})
  return selector.length > 0 && selector.every(([name, value]) => labels[name] === value)
}

/** Those that lead to its pods, or to some of them: a leader has labels more than the template gives it. */
export const servicesOf = (system: SystemView, service: string): readonly ApiObject[] => {
  const labels = labelsOf(system.workloadOf(service).manifest)
  return system.objects.filter((object) => {
    const selector = object.kind === 'Service' ? Object.entries(serviceSpec(object).selector ?? {}) : []
    const shared = selector.filter(([name]) => labels[name] !== undefined)
    return shared.length > 0 && shared.every(([name, value]) => labels[name] === value)
  })
}

const OUTER: readonly (string | undefined)[] = ['LoadBalancer', 'NodePort']

/**
 * The one by which everybody comes, or users from outside where there are several. Nothing where pods are reached by names of
 * their own: it is not the Service that leads there.
 */
const leadingTo = (system: SystemView, service: string): ApiObject | undefined => {
  const labels = labelsOf(system.workloadOf(service).manifest)
  const found = system.objects.filter((object) => object.kind === 'Service' && selects(object, labels))
  if (found.some((object) => serviceSpec(object).clusterIP === 'None')) return undefined
  if (found.length === 1) return found[0]
  const outer = found.filter((object) => OUTER.includes(serviceSpec(object).type))
  return outer.length === 1 ? outer[0] : undefined
}

/** Whether users themselves come by the name of the service, or somebody who cannot do without it for them. */
export const isFoundByName = (system: SystemView, service: string): boolean =>
  system.edges.every(({ from, to }) => to !== service || system.impactOf(from).down.length === 0) ||
  neededEdges(system).some((edge) => edge.to === service && isByName(system, edge))

/** Services without which users miss something, and that are found by their name. */
export const servedByName = (system: SystemView): readonly FaultTarget[] =>
  system.workloads.flatMap((workload) => {
    const { service } = workload
    if (!isEditable(workload) || system.impactOf(service).down.length === 0) return []
    const found = isFoundByName(system, service) ? leadingTo(system, service) : undefined
    return found === undefined ? [] : [{ service, object: found.metadata.name }]
  })

/** As the system is deployed with it. */
export const deployedService = (system: SystemView, name: unknown): ApiObject =>
  system.objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)!

export const serviceRef = ({ namespace }: SystemView, name: unknown) => ({
  apiVersion: 'v1',
  plural: 'services',
  namespace,
  name: String(name),
})

/** What the API server chooses by itself where nothing is said. */
const CHOSEN = ['clusterIP', 'clusterIPs', 'healthCheckNodePort']

/** Whether the Service is what it was before the fault in all but its selector and where its ports lead. */
export const isServiceOtherwiseSame = ({ baseline, now }: Scene, name: unknown): boolean => {
  const [before, after] = [baseline, now].map((objects) => {
    const { selector: _, ports = [], ...rest } = serviceSpec(objects.get('Service', String(name)))
    return {
      ...Object.fromEntries(Object.entries(rest).filter(([field]) => !CHOSEN.includes(field))),
      isHeadless: rest.clusterIP === 'None',
      ports: ports.map(({ name: called = '', port, protocol = 'TCP' }) => ({ called, port, protocol })),
    }
  })
  return isDeepStrictEqual(before, after)
}
