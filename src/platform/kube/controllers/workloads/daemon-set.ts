/** The DaemonSet controller: runs one pod on each node that fits, and updates a few nodes at a time. */
import type { DaemonSet, DaemonSetStatus } from 'kubernetes-types/apps/v1.d.ts'
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { daemonSets, isPodReady, nodes, pods } from '#platform/kube/kinds'
import { fromTime, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { WatchEvent } from '#platform/kube/ports'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { daemonPod, nodeOf, REVISION_HASH } from './daemon-set/daemon-pod.ts'
import { type FittedNode, managePods } from './daemon-set/manage-pods.ts'
import { fitNode } from './daemon-set/node-fit.ts'
import { type Changes, updatePods } from './daemon-set/update-pods.ts'
import { claimOwned } from './ownership/claim-owned.ts'
import { createPods, deletePod } from './ownership/owned-pods.ts'
import { watchingOwned } from './ownership/watching-owned.ts'
import { isPodAvailable, isTerminating, nextAvailability } from './replicas/pod-availability.ts'
import { currentRevision, listRevisions, trimRevisions } from './revisions/revision-history.ts'

/** Maximum number of pods created in one reconcile. */
const BURST = 250

const affectsPlacement = ({ type, object, old }: WatchEvent<Node>): boolean =>
  type !== 'MODIFIED' ||
  !deepEqual(object.metadata.labels, old.metadata.labels) ||
  !deepEqual(object.spec.taints, old.spec.taints)

const byAge = (a: Stored<Pod>, b: Stored<Pod>): number =>
  fromTime(a.metadata.creationTimestamp) - fromTime(b.metadata.creationTimestamp)

const fitNodes = ({ client }: ControllerContext, set: Stored<DaemonSet>): FittedNode[] => {
  const matches = toLabelMatcher(set.spec.selector)
  const byNode = new Map<string, Stored<Pod>[]>()
  for (const pod of claimOwned(client, pods, set, ({ metadata }) => matches(metadata.labels))) {
    const node = nodeOf(pod)
    if (node === undefined) continue
    const onNode = byNode.get(node)
    if (onNode === undefined) byNode.set(node, [pod])
    else onNode.push(pod)
  }
  const existing = client.list(nodes).map((node) => ({
    node: node.metadata.name,
    pods: (byNode.get(node.metadata.name) ?? []).sort(byAge),
    ...fitNode(set, node),
  }))
  for (const { node } of existing) byNode.delete(node)
  // Unassigned pods of a deleted node. The pod garbage collector deletes the assigned ones.
  const orphaned = [...byNode]
    .map(([node, onNode]) => ({ node, pods: onNode.filter(({ spec }) => !spec.nodeName) }))
    .filter((entry) => entry.pods.length > 0)
  return [...existing, ...orphaned.map((entry) => ({ ...entry, shouldRun: false, canStay: false }))]
}

const applyChanges = (
  context: ControllerContext,
  set: Stored<DaemonSet>,
  hash: string,
  changes: Changes,
): void => {
  const drafts = changes.create.slice(0, BURST).map((node) => daemonPod(set, hash, node))
  const { error } = createPods(context, set, drafts)
  for (const pod of changes.remove) deletePod(context, set, pod)
  if (error !== undefined) throw error
}

interface StatusInput {
  set: Stored<DaemonSet>
  fittedNodes: readonly FittedNode[]
  hash: string
  collisionCount: number
  now: number
}

const statusOf = ({ set, fittedNodes, hash, collisionCount, now }: StatusInput): DaemonSetStatus => {
  const desired = fittedNodes.filter(({ shouldRun }) => shouldRun)
  const firstPods = desired.flatMap(({ pods: [pod] }) => (pod === undefined ? [] : [pod]))
  const count = (counts: (pod: Stored<Pod>) => boolean): number => firstPods.filter(counts).length
  const updatedNumberScheduled = count((pod) => pod.metadata.labels?.[REVISION_HASH] === hash)
  const numberAvailable = count((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now))
  const numberUnavailable = desired.length - numberAvailable
  return {
    currentNumberScheduled: firstPods.length,
    numberMisscheduled: fittedNodes.filter((entry) => !entry.shouldRun && entry.pods.length > 0).length,
    desiredNumberScheduled: desired.length,
    numberReady: count(isPodReady),
    ...defined({ observedGeneration: set.metadata.generation }),
    ...(updatedNumberScheduled === 0 ? {} : { updatedNumberScheduled }),
    ...(numberAvailable === 0 ? {} : { numberAvailable }),
    ...(numberUnavailable === 0 ? {} : { numberUnavailable }),
    ...(collisionCount === 0 ? {} : { collisionCount }),
    // The controller has no conditions of its own; other clients may.
    ...defined({ conditions: set.status.conditions }),
  }
}

/** Creates and deletes pods as the nodes require, then advances the rolling update by one step. */
const syncPods = (context: ControllerContext, set: Stored<DaemonSet>, hash: string): void => {
  applyChanges(context, set, hash, managePods(context, set, fitNodes(context, set), hash))
  if (set.spec.updateStrategy?.type === 'OnDelete') return
  const desired = fitNodes(context, set).filter(({ shouldRun }) => shouldRun)
  applyChanges(context, set, hash, updatePods({ set, hash, nodes: desired, now: context.clock.now() }))
}

export const daemonSetController = defineController({
  name: 'daemonset',
  watches: [
    watching(daemonSets, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, daemonSets, ({ spec }) => spec.selector),
    watching(nodes, (event, { client }) =>
      affectsPlacement(event) ? client.list(daemonSets).map(keyOf) : [],
    ),
  ],
  reconcile(key, context) {
    const { client, clock } = context
    const { namespace, name } = splitKey(key)
    const set = client.get(daemonSets, namespace, name)
    if (set === undefined) return
    if (Object.keys(set.spec.selector).length === 0) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
      context.events.record(set, 'Warning', 'SelectingAll', message)
      return
    }
    if (isTerminating(set)) return
    const { revision, collisions } = currentRevision(client, set, listRevisions(client, set), REVISION_HASH)
    const hash = revision.metadata.labels?.[REVISION_HASH] ?? ''

    let failure: unknown
    try {
      syncPods(context, set, hash)
    } catch (error) {
      failure = error
    }
    const fittedNodes = fitNodes(context, set)
    const status = statusOf({ set, fittedNodes, hash, collisionCount: collisions, now: clock.now() })
    client.updateStatus(daemonSets, { ...set, status })
    if (failure !== undefined) throw failure

    const owned = fittedNodes.flatMap((entry) => entry.pods)
    const liveHashes = new Set([hash, ...owned.map(({ metadata }) => metadata.labels?.[REVISION_HASH])])
    trimRevisions(client, set, listRevisions(client, set), ({ metadata }) =>
      liveHashes.has(metadata.labels?.[REVISION_HASH]),
    )
    const waitMs = nextAvailability(owned, set.spec.minReadySeconds ?? 0, clock.now())
    if (waitMs !== undefined) context.requeue(key, waitMs)
  },
})
