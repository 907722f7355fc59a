/** The port that finds the runtime of a node, for logs, exec, attach, port-forward and metrics. */
import type { ContainerRuntime } from './runtime.ts'

export interface NodeDirectory {
  /** Returns undefined if no kubelet of this process runs the node. */
  runtimeOf(nodeName: string): ContainerRuntime | undefined
}
