/** Reads the readiness of a node. */
import type { Node, NodeCondition } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'

/** Returns undefined until the kubelet of the node has reported. */
export const nodeReadyCondition = ({ status }: Stored<Node>): NodeCondition | undefined =>
  status.conditions?.find(({ type }) => type === 'Ready')

export const isNodeReady = (node: Stored<Node>): boolean => nodeReadyCondition(node)?.status === 'True'
