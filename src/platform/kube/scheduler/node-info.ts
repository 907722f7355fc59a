/** A node with its pods and the totals of their requests. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { milliValue, type Stored, unitValue } from '#platform/kube/meta'
import type { Amounts, PodInfo } from './pod-info.ts'

export interface NodeInfo {
  readonly name: string
  readonly node: Stored<Node>
  readonly allocatable: Readonly<Amounts>
  readonly requested: Amounts
  readonly assumed: { cpu: number; memory: number }
  readonly pods: Map<string, PodInfo>
  /** Pods with required anti-affinity. */
  readonly withAntiAffinity: Set<PodInfo>
  /** Pods with required affinity, or with preferred affinity or anti-affinity. */
  readonly withAffinity: Set<PodInfo>
}

export const addPod = (info: NodeInfo, pod: PodInfo): void => {
  info.pods.set(pod.pod.metadata.uid, pod)
  for (const name in pod.requests) info.requested[name] = (info.requested[name] ?? 0) + pod.requests[name]!
  info.assumed.cpu += pod.assumed.cpu
  info.assumed.memory += pod.assumed.memory
  if (pod.antiAffinity.length > 0) info.withAntiAffinity.add(pod)
  if (pod.affinity.length + pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0)
    info.withAffinity.add(pod)
}

export const removePod = (info: NodeInfo, uid: string): void => {
  const pod = info.pods.get(uid)
  if (pod === undefined) return
  info.pods.delete(uid)
  for (const name in pod.requests) info.requested[name]! -= pod.requests[name]!
  info.assumed.cpu -= pod.assumed.cpu
  info.assumed.memory -= pod.assumed.memory
  info.withAntiAffinity.delete(pod)
  info.withAffinity.delete(pod)
}

const allocatableOf = (node: Stored<Node>): Amounts => {
  const amounts: Amounts = {}
  for (const [name, text] of Object.entries(node.status.allocatable ?? {}))
    amounts[name] = name === 'cpu' ? milliValue(text) : unitValue(text)
  return amounts
}

export const createNodeInfo = (node: Stored<Node>, pods: Iterable<PodInfo>): NodeInfo => {
  const info: NodeInfo = {
    name: node.metadata.name,
    node,
    allocatable: allocatableOf(node),
    requested: {},
    assumed: { cpu: 0, memory: 0 },
    pods: new Map(),
    withAntiAffinity: new Set(),
    withAffinity: new Set(),
  }
  for (const pod of pods) addPod(info, pod)
  return info
}
