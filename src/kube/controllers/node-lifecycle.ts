/** The node controller: notices nodes that fell silent, and taints nodes by the state they are in. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { isPodReady, nodes, pods } from '../kinds/index.ts'
import { type Stored, toTime } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { type Controller, type ControllerContext, defineController, watching } from './define-controller.ts'
import { deadlineOf, readyCondition, silentConditions } from './node-lifecycle/health.ts'
import { taintsFor } from './node-lifecycle/taints.ts'

const MONITOR_MS = 5000
/** With more lost nodes than this, and this share of all, the fault is taken to be in the network: nobody is evicted. */
const MANY_LOST = 2
const LARGE_SHARE = 0.55

const isReady = (node: Stored<Node>): boolean => readyCondition(node)?.status === 'True'

/** Evicting helps only while most of the cluster is well. */
const mayEvict = (client: Client): boolean => {
  const all = client.list(nodes)
  const lost = all.filter((node) => !isReady(node)).length
  return lost < all.length && !(lost > MANY_LOST && lost / all.length >= LARGE_SHARE)
}

const markPodsNotReady = ({ client, clock, events }: ControllerContext, node: Stored<Node>): void => {
  const lastTransitionTime = toTime(clock.now())
  const mark = (pod: Stored<Pod>): void => {
    const conditions = (pod.status.conditions ?? []).map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime } : condition,
    )
    client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } })
    events.record(pod, 'Warning', 'NodeNotReady', 'Node is not ready')
  }
  for (const pod of client.list(pods)) {
    if (pod.spec.nodeName === node.metadata.name && isPodReady(pod)) mark(pod)
  }
}

/** Writes down that nothing is known of a node past its deadline; gives the node as it then is. */
const checkHealth = (context: ControllerContext, node: Stored<Node>, since: number): Stored<Node> => {
  const { client, clock, events } = context
  const { name } = node.metadata
  if (clock.now() <= deadlineOf(client, node, since)) return node
  const status = { ...node.status, conditions: silentConditions(node, clock.now()) }
  const silent = client.updateStatus(nodes, { ...node, status })
  if (isReady(node)) {
    events.record(node, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
    markPodsNotReady(context, node)
  }
  return silent
}

export const createNodeLifecycle = (): Controller => {
  const registered = new Map<string, Stored<Node>>()
  let since = 0

  const register = ({ events }: ControllerContext, node: Stored<Node>): void => {
    const { name, uid } = node.metadata
    if (registered.get(name)?.metadata.uid !== uid)
      events.record(
        node,
        'Normal',
        'RegisteredNode',
        `Node ${name} event: Registered Node ${name} in Controller`,
      )
    registered.set(name, node)
  }
  const forget = ({ events }: ControllerContext, name: string): void => {
    const gone = registered.get(name)
    if (gone === undefined) return
    registered.delete(name)
    events.record(gone, 'Normal', 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)
  }

  return defineController({
    name: 'node',
    watches: [
      watching(nodes, ({ type, object, old }) =>
        type === 'MODIFIED' && object.spec === old.spec && object.status.conditions === old.status.conditions
          ? []
          : [object.metadata.name],
      ),
    ],
    start({ clock }) {
      since = clock.now()
    },
    reconcile(name, context) {
      const { client, clock, requeue } = context
      const found = client.get(nodes, '', name)
      if (found === undefined) {
        forget(context, name)
        return
      }
      register(context, found)
      const node = checkHealth(context, found, since)
      const taints = taintsFor(node, mayEvict(client), toTime(clock.now()))
      if (!deepEqual(taints, node.spec.taints ?? [])) {
        const { taints: _, ...spec } = node.spec
        client.update(nodes, { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } })
      }
      requeue(name, MONITOR_MS)
    },
  })
}
