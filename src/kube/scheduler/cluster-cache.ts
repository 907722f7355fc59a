/** Nodes and the pods on them, as the scheduler knows them from watching. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { isPodTerminal } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import { addPod, type NodeInfo, nodeInfo, removePod } from './node-info.ts'
import { type NamespaceLabels, type PodInfo, podInfo } from './pod-info.ts'

export interface ClusterCache {
  /** All nodes, in order of their names. */
  nodes(): readonly NodeInfo[]
  node(name: string): NodeInfo | undefined
  /** Tells whether anything that scheduling looks at has changed. */
  setNode(node: Stored<Node>): boolean
  removeNode(name: string): void
  /** Puts the pod where it is, or was decided to be; takes it away when it has ended. */
  setPod(pod: Stored<Pod>, nodeName?: string): void
  removePod(uid: string): void
  infoOf(pod: Stored<Pod>): PodInfo
}

const sameForScheduling = (a: Stored<Node>, b: Stored<Node>): boolean =>
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.metadata.labels, b.metadata.labels) &&
  deepEqual(a.status.allocatable, b.status.allocatable)

const sameRequests = (a: Stored<Pod>, b: Stored<Pod>): boolean =>
  a.spec === b.spec ||
  a.spec.containers.every((container, index) =>
    deepEqual(container.resources, b.spec.containers[index]?.resources),
  )

export const createClusterCache = (labelsOf: NamespaceLabels): ClusterCache => {
  const nodes = new Map<string, NodeInfo>()
  /** Node names of pods, and the pods of nodes that are not known (yet). */
  const placed = new Map<string, string>()
  const homeless = new Map<string, Map<string, PodInfo>>()
  let sorted: NodeInfo[] | undefined

  const strayOn = (name: string): Map<string, PodInfo> => {
    const known = homeless.get(name) ?? new Map<string, PodInfo>()
    homeless.set(name, known)
    return known
  }

  const take = (uid: string): PodInfo | undefined => {
    const name = placed.get(uid)
    if (name === undefined) return undefined
    placed.delete(uid)
    const info = nodes.get(name)
    const pod = info?.pods.get(uid) ?? homeless.get(name)?.get(uid)
    if (info === undefined) homeless.get(name)?.delete(uid)
    else removePod(info, uid)
    return pod
  }

  const infoOf = (pod: Stored<Pod>): PodInfo => podInfo(pod, labelsOf)

  return {
    nodes() {
      sorted ??= [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
      return sorted
    },
    node: (name) => nodes.get(name),
    setNode(node) {
      const { name } = node.metadata
      const before = nodes.get(name)
      if (before !== undefined && sameForScheduling(before.node, node)) return false
      const pods = before?.pods ?? homeless.get(name)
      nodes.set(name, nodeInfo(node, [...(pods?.values() ?? [])]))
      homeless.delete(name)
      sorted = undefined
      return true
    },
    removeNode(name) {
      const info = nodes.get(name)
      if (info === undefined) return
      nodes.delete(name)
      sorted = undefined
      for (const [uid, pod] of info.pods) strayOn(name).set(uid, pod)
    },
    setPod(pod, nodeName = pod.spec.nodeName) {
      const { uid } = pod.metadata
      const before = take(uid)
      if (nodeName === undefined || nodeName === '' || isPodTerminal(pod)) return
      const unchanged = before !== undefined && sameRequests(before.pod, pod)
      const info = unchanged ? { ...before, pod } : infoOf(pod)
      placed.set(uid, nodeName)
      const node = nodes.get(nodeName)
      if (node === undefined) strayOn(nodeName).set(uid, info)
      else addPod(node, info)
    },
    removePod: (uid) => {
      take(uid)
    },
    infoOf,
  }
}
