/** Which nodes a DaemonSet runs on. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { choosesNode, tolerates } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import { daemonTolerations } from './daemon-pod.ts'

export interface NodeFit {
  /** A pod belongs on the node. */
  shouldRun: boolean
  /** A pod that is there already may stay. */
  mayStay: boolean
}

export const fitNode = (set: Stored<DaemonSet>, node: Stored<Node>): NodeFit => {
  const spec = set.spec.template.spec ?? { containers: [] }
  const chosen = !spec.nodeName || spec.nodeName === node.metadata.name
  if (!chosen || !choosesNode(spec, node)) return { shouldRun: false, mayStay: false }

  const tolerations = daemonTolerations(spec)
  const unbearable = (node.spec.taints ?? []).filter((taint) => !tolerates(tolerations, taint))
  const mayStay = unbearable.every(({ effect }) => effect !== 'NoExecute')
  return { shouldRun: mayStay && unbearable.every(({ effect }) => effect !== 'NoSchedule'), mayStay }
}
