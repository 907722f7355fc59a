/** The port between faults and the processes of a pod on this machine. */

export interface ContainerProcesses {
  readonly name: string
  readonly id: string
  /** The host's process ID of the main process. */
  readonly pid: number
  /** The path of its control group, relative to the root of each hierarchy. */
  readonly cgroup: string
}

export interface PodProcessView {
  readonly uid: string
  readonly ip: string
  readonly nodeName: string
  readonly networkNamespacePath: string
  /** The running containers. */
  readonly containers: readonly ContainerProcesses[]
}

export interface PodProcesses {
  /** Returns undefined for a pod without a sandbox on this machine. */
  find(uid: string): PodProcessView | undefined
  /** Calls the listener before a pod's sandbox is removed: it must release the pod's namespaces. */
  onRemoval(listener: (uid: string) => void): () => void
}
