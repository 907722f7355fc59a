/** Reverts changes to nodes. Never creates or deletes a node. */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, isControlPlaneTaint, type KubeApi, type KubeObject, labelsOf, viewAs } from '#spec'
import type { Snapshot } from '../snapshot-objects.ts'
import { annotationsOf, toMetadataPatch } from './declared-state.ts'
import type { Steps } from './steps.ts'

type Taints = NonNullable<NonNullable<KubeObject<'Node'>['spec']>['taints']>

const taintsOf = (node: ApiObject): Taints => viewAs('Node', node).spec?.taints ?? []
const isCordoned = (node: ApiObject): boolean => viewAs('Node', node).spec?.unschedulable === true
const userTaints = (node: ApiObject): Taints => taintsOf(node).filter((taint) => !isControlPlaneTaint(taint))

const toDeclaredNode = (node: ApiObject): unknown => [
  isCordoned(node),
  userTaints(node),
  labelsOf(node),
  annotationsOf(node),
]

const rollBackNode = async (api: KubeApi, before: ApiObject, now: ApiObject): Promise<void> => {
  const controlPlaneTaints = taintsOf(now).filter(
    (taint) => isControlPlaneTaint(taint) && taint.key !== 'node.kubernetes.io/unschedulable',
  )
  await api.patch({ apiVersion: 'v1', plural: 'nodes', name: now.metadata.name }, 'merge', {
    ...toMetadataPatch(before, now),
    spec: {
      unschedulable: isCordoned(before) ? true : null,
      taints: [...userTaints(before), ...controlPlaneTaints],
    },
  })
}

/** Reverts the nodes that differ from the snapshot. */
export const rollBackNodes = async (
  api: KubeApi,
  before: Snapshot,
  now: Snapshot,
  steps: Steps,
): Promise<void> => {
  for (const node of before.nodes) {
    const found = now.nodes.find(({ metadata }) => metadata.name === node.metadata.name)
    if (found !== undefined && !isDeepStrictEqual(toDeclaredNode(node), toDeclaredNode(found)))
      await steps.run(`Node/${node.metadata.name}`, 'reverted', () => rollBackNode(api, node, found))
  }
}
