/** Attaches a pod to the network, and resolves once its limits and policies are in effect. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import type { NetworkNode } from '#platform/kube/connectivity'
import { networkPolicies } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client, PodAttachment } from '#platform/kube/ports'
import type { ClusterRules } from '../cluster-rules.ts'
import type { BandwidthLimits } from './bandwidth-limits.ts'
import type { PodAttachments } from './pod-attachments.ts'

/** After this time the attachment fails, and the kubelet retries. */
const POLICY_TIMEOUT_MS = 30_000

export const findNode = (nodes: readonly NetworkNode[], name: string): NetworkNode => {
  const node = nodes.find((each) => each.name === name)
  if (node === undefined) throw new Error(`the network has no node ${name}`)
  return node
}

export interface PodAttacherOptions {
  clock: Clock
  nodes: readonly NetworkNode[]
  attachments: PodAttachments
  limits: BandwidthLimits
  rules: ClusterRules
  client(): Client | undefined
}

export type PodAttacher = (pod: Stored<Pod>, nodeName: string) => Promise<PodAttachment>

export const createPodAttacher = (options: PodAttacherOptions): PodAttacher => {
  const { clock, nodes, attachments, limits, rules } = options

  /** Resolves with false after the timeout. A pod must not send packets before its policies are in effect. */
  const waitForPolicies = async (): Promise<boolean> => {
    const client = options.client()
    if (client === undefined || client.list(networkPolicies).length === 0) return true
    rules.changed('policies')
    return await new Promise((resolve) => {
      const timeout = clock.after(POLICY_TIMEOUT_MS, () => resolve(false))
      rules.settled().then(() => {
        timeout.cancel()
        resolve(true)
      })
    })
  }

  return async (pod, nodeName) => {
    try {
      const attachment = attachments.attach(pod, findNode(nodes, nodeName))
      await limits.apply(pod, attachments.deviceOf(pod.metadata.uid))
      if (!(await waitForPolicies())) throw new Error('the NetworkPolicies of the pod are not in effect yet')
      // The pod may have been detached in the meantime, and its descriptor reused for another pod.
      if (attachments.namespaceOf(pod.metadata.uid)?.path !== attachment.namespacePath)
        throw new Error('the pod was detached from the network')
      return attachment
    } finally {
      rules.changed('services')
    }
  }
}
