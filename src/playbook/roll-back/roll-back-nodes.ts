/** Takes back what was done to nodes: they are never made nor deleted. */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, isControlPlaneTaint, type KubeApi } from '../../spec/index.ts'
import type { Snapshot } from '../snapshot-objects.ts'
import { annotationsOf, labelsOf, toMetadataPatch } from './said-of.ts'
import type { Steps } from './steps.ts'

interface Taint {
  readonly key: string
  readonly effect: string
}
const taintsOf = ({ spec }: ApiObject): Taint[] => [
  ...((spec as { taints?: Taint[] } | undefined)?.taints ?? []),
]
const isCordoned = ({ spec }: ApiObject): boolean =>
  (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true
const ownTaints = (node: ApiObject): Taint[] => taintsOf(node).filter((taint) => !isControlPlaneTaint(taint))

const said = (node: ApiObject): unknown => [
  isCordoned(node),
  ownTaints(node),
  labelsOf(node),
  annotationsOf(node),
]

const rollBackNode = async (api: KubeApi, before: ApiObject, now: ApiObject): Promise<void> => {
  const kept = taintsOf(now).filter(
    (taint) => isControlPlaneTaint(taint) && taint.key !== 'node.kubernetes.io/unschedulable',
  )
  await api.patch({ apiVersion: 'v1', plural: 'nodes', name: now.metadata.name }, 'merge', {
    ...toMetadataPatch(before, now),
    spec: { unschedulable: isCordoned(before) ? true : null, taints: [...ownTaints(before), ...kept] },
  })
}

/** Those that are not as before. */
export const rollBackNodes = async (
  api: KubeApi,
  before: Snapshot,
  now: Snapshot,
  steps: Steps,
): Promise<void> => {
  for (const node of before.nodes) {
    const found = now.nodes.find(({ metadata }) => metadata.name === node.metadata.name)
    if (found !== undefined && !isDeepStrictEqual(said(node), said(found)))
      await steps.take(`Node/${node.metadata.name}`, 'put back', () => rollBackNode(api, node, found))
  }
}
