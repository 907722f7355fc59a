/** The scheduler's cache of nodes and their pods, fed by watches. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import { isPodTerminal } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { addPod, createNodeInfo, type NodeInfo, removePod } from './node-info.ts'
import { createPodInfo, type NamespaceLabels, type PodInfo } from './pod-info.ts'

export interface ClusterCache {
  /** All nodes, in order of their names. */
  nodes(): readonly NodeInfo[]
  node(name: string): NodeInfo | undefined
  /** Returns whether anything relevant to scheduling changed. */
  setNode(node: Stored<Node>): boolean
  removeNode(name: string): void
  /** Adds the pod to its node, or to `nodeName` if given; removes it if it is terminal. */
  setPod(pod: Stored<Pod>, nodeName?: string): void
  removePod(uid: string): void
  infoOf(pod: Stored<Pod>): PodInfo
}

const isSameForScheduling = (a: Stored<Node>, b: Stored<Node>): boolean =>
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.metadata.labels, b.metadata.labels) &&
  deepEqual(a.status.allocatable, b.status.allocatable)

const hasSameRequests = (a: Stored<Pod>, b: Stored<Pod>): boolean =>
  a.spec === b.spec ||
  a.spec.containers.every((container, index) =>
    deepEqual(container.resources, b.spec.containers[index]?.resources),
  )

export const createClusterCache = (labelsOf: NamespaceLabels): ClusterCache => {
  const nodes = new Map<string, NodeInfo>()
  /** Node names by pod uid. */
  const nodeNames = new Map<string, string>()
  /** Pods by the name of a node that is not in the cache. */
  const detached = new Map<string, Map<string, PodInfo>>()
  let sorted: NodeInfo[] | undefined

  const detachedFrom = (name: string): Map<string, PodInfo> => {
    const known = detached.get(name) ?? new Map<string, PodInfo>()
    detached.set(name, known)
    return known
  }

  const remove = (uid: string): PodInfo | undefined => {
    const name = nodeNames.get(uid)
    if (name === undefined) return undefined
    nodeNames.delete(uid)
    const info = nodes.get(name)
    const pod = info?.pods.get(uid) ?? detached.get(name)?.get(uid)
    if (info === undefined) detached.get(name)?.delete(uid)
    else removePod(info, uid)
    return pod
  }

  const infoOf = (pod: Stored<Pod>): PodInfo => createPodInfo(pod, labelsOf)

  return {
    nodes() {
      sorted ??= [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
      return sorted
    },
    node: (name) => nodes.get(name),
    setNode(node) {
      const { name } = node.metadata
      const old = nodes.get(name)
      if (old !== undefined && isSameForScheduling(old.node, node)) return false
      const pods = old?.pods ?? detached.get(name)
      nodes.set(name, createNodeInfo(node, [...(pods?.values() ?? [])]))
      detached.delete(name)
      sorted = undefined
      return true
    },
    removeNode(name) {
      const info = nodes.get(name)
      if (info === undefined) return
      nodes.delete(name)
      sorted = undefined
      for (const [uid, pod] of info.pods) detachedFrom(name).set(uid, pod)
    },
    setPod(pod, nodeName = pod.spec.nodeName) {
      const { uid } = pod.metadata
      const old = remove(uid)
      if (nodeName === undefined || nodeName === '' || isPodTerminal(pod)) return
      const isUnchanged = old !== undefined && hasSameRequests(old.pod, pod)
      const info = isUnchanged ? { ...old, pod } : infoOf(pod)
      nodeNames.set(uid, nodeName)
      const node = nodes.get(nodeName)
      if (node === undefined) detachedFrom(nodeName).set(uid, info)
      else addPod(node, info)
    },
    removePod: (uid) => {
      remove(uid)
    },
    infoOf,
  }
}
