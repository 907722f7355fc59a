/** The parts of an engine that a reset uses, in addition to the objects of its cluster. */

/** The content of claims at the time of the baseline. */
export interface ClaimContents {
  /** Returns `namespace/name` of the claims whose content has changed. */
  changed(): Promise<string[]>
  /** Must not be called while a pod uses the claim. */
  restore(claim: string): Promise<void>
}

/** The disks of nodes, to which pods write through hostPath volumes. */
export interface NodeDisks {
  /** Restores the disks in place, because running pods may have mounted folders of them. Returns the nodes whose disk had changed. */
  restore(): Promise<string[]>
}

/** The programs of pods, which can outlive the objects of their pods. */
export interface RunningPods {
  /** Returns undefined for a pod without a program. */
  find(uid: string): object | undefined
}
