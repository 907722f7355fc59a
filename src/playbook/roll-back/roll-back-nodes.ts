/** Takes back what was done to nodes: they are never made nor deleted. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, KubeApi } from '../../spec/index.ts'
import type { Snapshot } from '../snapshot-objects.ts'
import { annotationsOf, labelsOf, toMetadataPatch } from './said-of.ts'

const SERVER_TAINTS = /^node\.kubernetes\.io\//

interface Taint {
  readonly key: string
}
const taintsOf = ({ spec }: ApiObject): Taint[] => [
  ...((spec as { taints?: Taint[] } | undefined)?.taints ?? []),
]
const isCordoned = ({ spec }: ApiObject): boolean =>
  (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true
const ownTaints = (node: ApiObject): Taint[] => taintsOf(node).filter(({ key }) => !SERVER_TAINTS.test(key))

const said = (node: ApiObject): unknown => [
  isCordoned(node),
  ownTaints(node),
  labelsOf(node),
  annotationsOf(node),
]

const rollBackNode = async (api: KubeApi, before: ApiObject, now: ApiObject): Promise<boolean> => {
  if (isDeepStrictEqual(said(before), said(now))) return false
  const kept = taintsOf(now).filter(
    ({ key }) => SERVER_TAINTS.test(key) && key !== 'node.kubernetes.io/unschedulable',
  )
  await api.patch({ apiVersion: 'v1', plural: 'nodes', name: now.metadata.name }, 'merge', {
    ...toMetadataPatch(before, now),
    spec: { unschedulable: isCordoned(before) ? true : null, taints: [...ownTaints(before), ...kept] },
  })
  return true
}

/** Gives the names of those that were not as before. */
export const rollBackNodes = async (api: KubeApi, before: Snapshot, now: Snapshot): Promise<string[]> => {
  const done: string[] = []
  for (const node of before.nodes) {
    const found = now.nodes.find(({ metadata }) => metadata.name === node.metadata.name)
    if (found !== undefined && (await rollBackNode(api, node, found))) done.push(`Node/${node.metadata.name}`)
  }
  return done
}
