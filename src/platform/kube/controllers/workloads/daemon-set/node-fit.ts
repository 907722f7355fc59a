/** Decides which nodes a DaemonSet runs on. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { selectsNode, tolerates } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { daemonTolerations } from './daemon-pod.ts'

export interface NodeFit {
  /** A pod belongs on the node. */
  shouldRun: boolean
  /** A pod that already runs on the node may stay. */
  canStay: boolean
}

export const fitNode = (set: Stored<DaemonSet>, node: Stored<Node>): NodeFit => {
  const spec = set.spec.template.spec ?? { containers: [] }
  const chosen = !spec.nodeName || spec.nodeName === node.metadata.name
  if (!chosen || !selectsNode(spec, node)) return { shouldRun: false, canStay: false }

  const tolerations = daemonTolerations(spec)
  const untolerated = (node.spec.taints ?? []).filter((taint) => !tolerates(tolerations, taint))
  const canStay = untolerated.every(({ effect }) => effect !== 'NoExecute')
  return { shouldRun: canStay && untolerated.every(({ effect }) => effect !== 'NoSchedule'), canStay }
}
