/** Services of Kubernetes: whom they lead to, and by which port. */
import type { ApiObject } from '../../../spec/index.ts'
import { isSelected, type Labels, specOf } from './kube-shapes.ts'
import type { WorkloadView } from './workloads.ts'
import type { World } from './world.ts'

export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly protocol?: string
}

export interface ServiceView {
  readonly name: string
  readonly selector: Labels
  readonly ports: readonly ServicePort[]
  readonly isHeadless: boolean
  readonly object: ApiObject
}

export const toServiceView = (object: ApiObject): ServiceView => {
  const {
    selector = {},
    ports = [],
    clusterIP,
  } = specOf<{
    selector?: Labels
    ports?: readonly ServicePort[]
    clusterIP?: string
  }>(object)
  return { name: object.metadata.name, selector, ports, isHeadless: clusterIP === 'None', object }
}

export const listServices = async (world: World): Promise<readonly ServiceView[]> =>
  (await world.objects('Service')).map(toServiceView)

export const templateLabels = ({ template }: WorkloadView): Labels => template.metadata?.labels ?? {}

/** Also by what only its pods have: a leader is labelled while it runs. */
export const isLedTo = async (
  world: World,
  { selector }: ServiceView,
  workload: WorkloadView,
): Promise<boolean> => {
  if (isSelected(selector, templateLabels(workload))) return true
  const pods = await world.podsOf(workload.service)
  return pods.some(({ object }) => isSelected(selector, (object.metadata.labels ?? {}) as Labels))
}
