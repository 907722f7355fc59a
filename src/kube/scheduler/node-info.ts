/** A node with the sums over its pods, kept up to date as pods come and go. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { milliValue, type Stored, unitValue } from '../meta/index.ts'
import type { Amounts, PodInfo } from './pod-info.ts'

export interface NodeInfo {
  readonly name: string
  readonly node: Stored<Node>
  readonly allocatable: Readonly<Amounts>
  readonly requested: Amounts
  readonly assumed: { cpu: number; memory: number }
  readonly pods: Map<string, PodInfo>
  /** Those of its pods that keep others away. */
  readonly repelling: Set<PodInfo>
  /** Those of its pods with any affinity to others, required or preferred. */
  readonly attached: Set<PodInfo>
}

export const addPod = (info: NodeInfo, pod: PodInfo): void => {
  info.pods.set(pod.pod.metadata.uid, pod)
  for (const name in pod.requests) info.requested[name] = (info.requested[name] ?? 0) + pod.requests[name]!
  info.assumed.cpu += pod.assumed.cpu
  info.assumed.memory += pod.assumed.memory
  if (pod.antiAffinity.length > 0) info.repelling.add(pod)
  if (pod.affinity.length + pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0)
    info.attached.add(pod)
}

export const removePod = (info: NodeInfo, uid: string): void => {
  const pod = info.pods.get(uid)
  if (pod === undefined) return
  info.pods.delete(uid)
  for (const name in pod.requests) info.requested[name]! -= pod.requests[name]!
  info.assumed.cpu -= pod.assumed.cpu
  info.assumed.memory -= pod.assumed.memory
  info.repelling.delete(pod)
  info.attached.delete(pod)
}

const allocatableOf = (node: Stored<Node>): Amounts => {
  const amounts: Amounts = {}
  for (const [name, text] of Object.entries(node.status.allocatable ?? {}))
    amounts[name] = name === 'cpu' ? milliValue(text) : unitValue(text)
  return amounts
}

/** The node with these pods on it. */
export const nodeInfo = (node: Stored<Node>, pods: Iterable<PodInfo>): NodeInfo => {
  const info: NodeInfo = {
    name: node.metadata.name,
    node,
    allocatable: allocatableOf(node),
    requested: {},
    assumed: { cpu: 0, memory: 0 },
    pods: new Map(),
    repelling: new Set(),
    attached: new Set(),
  }
  for (const pod of pods) addPod(info, pod)
  return info
}
