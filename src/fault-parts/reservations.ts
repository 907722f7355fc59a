/** What pods reserve of the CPU of nodes, in thousandths of a core. */
import { type FaultContext, type PodSpecView, quantityValue } from '../spec/index.ts'
import { nodeOf } from './node-sickness.ts'
import { isOver } from './pods.ts'

export const requestedCpu = ({ containers }: Pick<PodSpecView, 'containers'>): number =>
  containers.reduce(
    (sum, { resources }) => sum + Math.round((quantityValue(resources?.requests?.cpu) ?? 0) * 1000),
    0,
  )

/** What nobody has reserved of each node, by its name. */
export const cpuLeftOnNodes = async ({
  api,
}: Pick<FaultContext, 'api'>): Promise<ReadonlyMap<string, number>> => {
  const { items: nodes } = await api.list({ apiVersion: 'v1', plural: 'nodes' })
  const { items: pods } = await api.list({ apiVersion: 'v1', plural: 'pods' })
  return new Map(
    nodes.map(({ metadata: { name }, status }) => {
      const { allocatable } = status as { allocatable: Readonly<Record<string, string>> }
      const reserved = pods
        .filter((pod) => nodeOf(pod) === name && !isOver(pod))
        .reduce((sum, { spec }) => sum + requestedCpu(spec as PodSpecView), 0)
      return [name, Math.floor((quantityValue(allocatable.cpu) ?? 0) * 1000 - reserved)]
    }),
  )
}
