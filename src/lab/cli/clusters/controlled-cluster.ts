/** A cluster of any engine, as commands in other processes control it. */
import type { EngineCluster } from '#spec'

export interface ControlledCluster extends EngineCluster {
  /** The embedded Kubernetes. */
  readonly cluster: { readonly kubelets: ReadonlyMap<string, unknown> }
  setNodeHealth(node: string, healthy: boolean): void
  setNodeReachable(node: string, reachable: boolean): void | Promise<void>
}
