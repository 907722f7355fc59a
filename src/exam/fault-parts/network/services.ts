/** Finds the Kubernetes Services that route to the pods of a service. */
import { isDeepStrictEqual } from 'node:util'
import {
  type ApiObject,
  type CauseSnapshot,
  type FaultTarget,
  type KubeObject,
  podTemplateOf,
  type SystemView,
  viewAs,
} from '#spec'
import { isResolvedByDns, neededEdges } from '../usage/needed-edges.ts'
import { isEditable } from '../workloads/restore-workload.ts'

export type ServiceSpec = NonNullable<KubeObject<'Service'>['spec']>
export type ServicePort = NonNullable<ServiceSpec['ports']>[number]

export const serviceSpec = (object: ApiObject | undefined): ServiceSpec =>
  (object && viewAs('Service', object).spec) ?? {}

type Labels = Readonly<Record<string, string>>

const podLabelsOf = (manifest: ApiObject): Labels => podTemplateOf(manifest)?.metadata?.labels ?? {}

const selects = (object: ApiObject, labels: Labels): boolean => {
  const selector = Object.entries(serviceSpec(object).selector ?? {})
  return selector.length > 0 && selector.every(([name, value]) => labels[name] === value)
}

/** Services that route to all or some pods of the service: a leader's pod has more labels than the template. */
export const servicesOf = (system: SystemView, service: string): readonly ApiObject[] => {
  const labels = podLabelsOf(system.workloadOf(service).manifest)
  return system.objects.filter((object) => {
    const selector = object.kind === 'Service' ? Object.entries(serviceSpec(object).selector ?? {}) : []
    const shared = selector.filter(([name]) => labels[name] !== undefined)
    return shared.length > 0 && shared.every(([name, value]) => labels[name] === value)
  })
}

const EXTERNAL_TYPES: readonly (string | undefined)[] = ['LoadBalancer', 'NodePort']

/**
 * The only Service of the pods, or the only external one. Undefined if a Service is headless: clients then reach pods by their own
 * names.
 */
const findMainService = (system: SystemView, service: string): ApiObject | undefined => {
  const labels = podLabelsOf(system.workloadOf(service).manifest)
  const candidates = system.objects.filter((object) => object.kind === 'Service' && selects(object, labels))
  if (candidates.some((object) => serviceSpec(object).clusterIP === 'None')) return undefined
  if (candidates.length === 1) return candidates[0]
  const external = candidates.filter((object) => EXTERNAL_TYPES.includes(serviceSpec(object).type))
  return external.length === 1 ? external[0] : undefined
}

/** Whether users, or a caller that needs the service for them, reach it by its DNS name. */
export const isReachedByName = (system: SystemView, service: string): boolean =>
  system.edges.every(({ from, to }) => to !== service || system.impactOf(from).down.length === 0) ||
  neededEdges(system).some((edge) => edge.to === service && isResolvedByDns(system, edge))

/** Editable services with user impact that are reached by their DNS name. */
export const targetsByName = (system: SystemView): readonly FaultTarget[] =>
  system.workloads.flatMap((workload) => {
    const { service } = workload
    if (!isEditable(workload) || system.impactOf(service).down.length === 0) return []
    const mainService = isReachedByName(system, service) ? findMainService(system, service) : undefined
    return mainService === undefined ? [] : [{ service, object: mainService.metadata.name }]
  })

/** The deployed Service. */
export const deployedService = (system: SystemView, name: unknown): ApiObject =>
  system.objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)!

export const serviceRef = ({ namespace }: SystemView, name: unknown) => ({
  apiVersion: 'v1',
  plural: 'services',
  namespace,
  name: String(name),
})

/** Fields that the API server fills in. */
const FILLED_IN_FIELDS = ['clusterIP', 'clusterIPs', 'healthCheckNodePort']

/** Whether the Service equals its baseline except for its selector and target ports. */
export const isServiceOtherwiseSame = ({ baseline, now }: CauseSnapshot, name: unknown): boolean => {
  const [before, after] = [baseline, now].map((objects) => {
    const { selector: _, ports = [], ...rest } = serviceSpec(objects.get('Service', String(name)))
    return {
      ...Object.fromEntries(Object.entries(rest).filter(([field]) => !FILLED_IN_FIELDS.includes(field))),
      isHeadless: rest.clusterIP === 'None',
      ports: ports.map(({ name: portName = '', port, protocol = 'TCP' }) => ({ portName, port, protocol })),
    }
  })
  return isDeepStrictEqual(before, after)
}
