/** A view of Kubernetes Services: the pods they select, and their ports. */
import { type ApiObject, type KubeObject, labelsOf, viewAs } from '#spec'
import { isSelected, type Labels } from './kube-views.ts'
import type { WorkloadView } from './workloads.ts'
import type { World } from './world.ts'

export type ServicePort = NonNullable<NonNullable<KubeObject<'Service'>['spec']>['ports']>[number]

export interface ServiceView {
  readonly name: string
  readonly selector: Labels
  readonly ports: readonly ServicePort[]
  readonly isHeadless: boolean
  readonly object: ApiObject
}

export const toServiceView = (object: ApiObject): ServiceView => {
  const { selector = {}, ports = [], clusterIP } = viewAs('Service', object).spec ?? {}
  return { name: object.metadata.name, selector, ports, isHeadless: clusterIP === 'None', object }
}

export const listServices = async (world: World): Promise<readonly ServiceView[]> =>
  (await world.objects('Service')).map(toServiceView)

export const templateLabels = ({ template }: WorkloadView): Labels => template.metadata?.labels ?? {}

/** Also compares labels of running pods: a leader gets its label at run time. */
export const selectsPodsOf = async (
  world: World,
  { selector }: ServiceView,
  workload: WorkloadView,
): Promise<boolean> => {
  if (isSelected(selector, templateLabels(workload))) return true
  const pods = await world.podsOf(workload.service)
  return pods.some(({ object }) => isSelected(selector, labelsOf(object)))
}
