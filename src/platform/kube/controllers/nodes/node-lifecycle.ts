/** The node lifecycle controller: detects unreachable nodes and taints nodes according to their conditions. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import { isNodeReady, isPodReady, nodes, pods } from '#platform/kube/kinds'
import { type Stored, toTime } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Controller, type ControllerContext, defineController, watching } from '../define-controller.ts'
import { heartbeatDeadline, unknownConditions } from './node-lifecycle/health.ts'
import { taintsFor } from './node-lifecycle/taints-for.ts'

const MONITOR_MS = 5000
/** Above both limits the controller assumes a network fault and evicts no pods. */
const MAX_LOST_NODES = 2
const MAX_LOST_SHARE = 0.55

/** Returns false if no node is ready, or if the lost nodes are above both limits. */
const canEvict = (client: Client): boolean => {
  const all = client.list(nodes)
  const lost = all.filter((node) => !isNodeReady(node)).length
  return lost < all.length && !(lost > MAX_LOST_NODES && lost / all.length >= MAX_LOST_SHARE)
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

/** Sets the conditions of a node past its heartbeat deadline to Unknown; returns the current node. */
const checkHealth = (context: ControllerContext, node: Stored<Node>, startedAt: number): Stored<Node> => {
  const { client, clock, events } = context
  const { name } = node.metadata
  if (clock.now() <= heartbeatDeadline(client, node, startedAt)) return node
  const status = { ...node.status, conditions: unknownConditions(node, clock.now()) }
  const updated = client.updateStatus(nodes, { ...node, status })
  if (isNodeReady(node)) {
    events.record(node, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
    markPodsNotReady(context, node)
  }
  return updated
}

export const createNodeLifecycle = (): Controller => {
  const registered = new Map<string, Stored<Node>>()
  let startedAt = 0

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
  const unregister = ({ events }: ControllerContext, name: string): void => {
    const node = registered.get(name)
    if (node === undefined) return
    registered.delete(name)
    events.record(node, 'Normal', 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)
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
      startedAt = clock.now()
    },
    reconcile(name, context) {
      const { client, clock, requeue } = context
      const found = client.get(nodes, '', name)
      if (found === undefined) {
        unregister(context, name)
        return
      }
      register(context, found)
      const node = checkHealth(context, found, startedAt)
      const taints = taintsFor(node, canEvict(client), toTime(clock.now()))
      if (!deepEqual(taints, node.spec.taints ?? [])) {
        const { taints: _, ...spec } = node.spec
        client.update(nodes, { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } })
      }
      requeue(name, MONITOR_MS)
    },
  })
}
