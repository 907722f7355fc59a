/** The port by which faults find what a pod is made of on this machine. */

export interface ContainerProcesses {
  readonly name: string
  readonly id: string
  /** The first process, as the host numbers it. */
  readonly pid: number
  /** The path of its control group, below the root of each hierarchy. */
  readonly cgroup: string
}

export interface PodProcessView {
  readonly uid: string
  readonly ip: string
  readonly nodeName: string
  readonly networkNamespacePath: string
  /** Those that run now. */
  readonly containers: readonly ContainerProcesses[]
}

export interface PodProcesses {
  /** Nothing for a pod without a sandbox on this machine. */
  find(uid: string): PodProcessView | undefined
  /** Calls back before a pod's sandbox is taken away: whoever holds on to its namespaces must let go now. */
  onRemoval(listener: (uid: string) => void): () => void
}
