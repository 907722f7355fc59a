/** Computes the CPU that pods reserve on nodes, in thousandths of a core. */
import {
  containersOf,
  type FaultContext,
  isFinishedPod,
  type PodSpecView,
  quantityValue,
  viewAs,
} from '#spec'
import { nodeOf } from './pod-chaos-set.ts'

export const requestedCpu = ({ containers }: Pick<PodSpecView, 'containers'>): number =>
  containers.reduce(
    (sum, { resources }) => sum + Math.round((quantityValue(resources?.requests?.cpu) ?? 0) * 1000),
    0,
  )

/** The unreserved CPU by node. */
export const listUnreservedCpu = async ({
  api,
}: Pick<FaultContext, 'api'>): Promise<ReadonlyMap<string, number>> => {
  const { items: nodes } = await api.list({ apiVersion: 'v1', plural: 'nodes' })
  const { items: pods } = await api.list({ apiVersion: 'v1', plural: 'pods' })
  return new Map(
    nodes.map((node) => {
      const { name } = node.metadata
      const { allocatable } = viewAs('Node', node).status ?? {}
      const reserved = pods
        .filter((pod) => nodeOf(pod) === name && !isFinishedPod(pod))
        .reduce((sum, pod) => sum + requestedCpu({ containers: containersOf(pod) }), 0)
      return [name, Math.floor((quantityValue(allocatable?.cpu) ?? 0) * 1000 - reserved)]
    }),
  )
}
