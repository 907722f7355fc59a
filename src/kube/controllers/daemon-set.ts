/** The DaemonSet controller: one pod on each node that fits, updated a few nodes at a time. */
import type { DaemonSet, DaemonSetStatus } from 'kubernetes-types/apps/v1.d.ts'
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { daemonSets, isPodReady, nodes, pods } from '../kinds/index.ts'
import { fromTime, matcherOf, type Stored } from '../meta/index.ts'
import type { WatchEvent } from '../ports/index.ts'
import { daemonPod, nodeOf, REVISION_HASH } from './daemon-set/daemon-pod.ts'
import { type FittedNode, keepPods } from './daemon-set/keep-pods.ts'
import { fitNode } from './daemon-set/node-fit.ts'
import { type Changes, updatePods } from './daemon-set/update-pods.ts'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { claimOwned } from './workload/claim-owned.ts'
import { createPods, deletePod } from './workload/owned-pods.ts'
import { isPodAvailable, isTerminating, nextAvailability } from './workload/pod-availability.ts'
import { currentRevision, listRevisions, trimRevisions } from './workload/revision-history.ts'
import { watchingOwned } from './workload/watching-owned.ts'

/** Pods made in one go; the rest follows in the next. */
const BURST = 250

const matters = ({ type, object, old }: WatchEvent<Node>): boolean =>
  type !== 'MODIFIED' ||
  !deepEqual(object.metadata.labels, old.metadata.labels) ||
  !deepEqual(object.spec.taints, old.spec.taints)

const byAge = (a: Stored<Pod>, b: Stored<Pod>): number =>
  fromTime(a.metadata.creationTimestamp) - fromTime(b.metadata.creationTimestamp)

const surveyNodes = ({ client }: ControllerContext, set: Stored<DaemonSet>): FittedNode[] => {
  const matches = matcherOf(set.spec.selector)
  const byNode = new Map<string, Stored<Pod>[]>()
  for (const pod of claimOwned(client, pods, set, ({ metadata }) => matches(metadata.labels))) {
    const node = nodeOf(pod)
    if (node === undefined) continue
    const there = byNode.get(node)
    if (there === undefined) byNode.set(node, [pod])
    else there.push(pod)
  }
  const known = client.list(nodes).map((node) => ({
    node: node.metadata.name,
    pods: (byNode.get(node.metadata.name) ?? []).sort(byAge),
    ...fitNode(set, node),
  }))
  for (const { node } of known) byNode.delete(node)
  // Pods made for a node that went before they were assigned; of the others the pod garbage collector takes care.
  const lost = [...byNode]
    .map(([node, there]) => ({ node, pods: there.filter(({ spec }) => !spec.nodeName) }))
    .filter((entry) => entry.pods.length > 0)
  return [...known, ...lost.map((entry) => ({ ...entry, shouldRun: false, mayStay: false }))]
}

const apply = (context: ControllerContext, set: Stored<DaemonSet>, hash: string, changes: Changes): void => {
  const drafts = changes.create.slice(0, BURST).map((node) => daemonPod(set, hash, node))
  const { error } = createPods(context, set, drafts)
  for (const pod of changes.remove) deletePod(context, set, pod)
  if (error !== undefined) throw error
}

const statusOf = (
  set: Stored<DaemonSet>,
  survey: readonly FittedNode[],
  hash: string,
  collisionCount: number,
  now: number,
): DaemonSetStatus => {
  const desired = survey.filter(({ shouldRun }) => shouldRun)
  const first = desired.flatMap(({ pods: [pod] }) => (pod === undefined ? [] : [pod]))
  const count = (counts: (pod: Stored<Pod>) => boolean): number => first.filter(counts).length
  const updatedNumberScheduled = count((pod) => pod.metadata.labels?.[REVISION_HASH] === hash)
  const numberAvailable = count((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now))
  const numberUnavailable = desired.length - numberAvailable
  return {
    currentNumberScheduled: first.length,
    numberMisscheduled: survey.filter((entry) => !entry.shouldRun && entry.pods.length > 0).length,
    desiredNumberScheduled: desired.length,
    numberReady: count(isPodReady),
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    ...(updatedNumberScheduled === 0 ? {} : { updatedNumberScheduled }),
    ...(numberAvailable === 0 ? {} : { numberAvailable }),
    ...(numberUnavailable === 0 ? {} : { numberUnavailable }),
    ...(collisionCount === 0 ? {} : { collisionCount }),
  }
}

/** Keeps the right pods, then moves the update one step further. */
const bringUp = (context: ControllerContext, set: Stored<DaemonSet>, hash: string): void => {
  apply(context, set, hash, keepPods(context, set, surveyNodes(context, set), hash))
  if (set.spec.updateStrategy?.type === 'OnDelete') return
  const running = surveyNodes(context, set).filter(({ shouldRun }) => shouldRun)
  apply(context, set, hash, updatePods({ set, hash, nodes: running, now: context.clock.now() }))
}

export const daemonSetController = defineController({
  name: 'daemonset',
  watches: [
    watching(daemonSets, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, daemonSets, ({ spec }) => spec.selector),
    watching(nodes, (event, { client }) => (matters(event) ? client.list(daemonSets).map(keyOf) : [])),
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
      bringUp(context, set, hash)
    } catch (error) {
      failure = error
    }
    const survey = surveyNodes(context, set)
    client.updateStatus(daemonSets, { ...set, status: statusOf(set, survey, hash, collisions, clock.now()) })
    if (failure !== undefined) throw failure

    const owned = survey.flatMap((entry) => entry.pods)
    const live = new Set([hash, ...owned.map(({ metadata }) => metadata.labels?.[REVISION_HASH])])
    trimRevisions(client, set, listRevisions(client, set), ({ metadata }) =>
      live.has(metadata.labels?.[REVISION_HASH]),
    )
    const wait = nextAvailability(owned, set.spec.minReadySeconds ?? 0, clock.now())
    if (wait !== undefined) context.requeue(key, wait)
  },
})
