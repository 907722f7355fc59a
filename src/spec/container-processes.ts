/** The processes of a container, as records keep them. */

/** The processes of a container, as the host sees them. */
export interface ContainerProcesses {
  /** The name of the pod. */
  readonly pod: string
  /** The id of the container; a restarted container has another one. */
  readonly id: string
  /** The name of the container. Absent in older records. */
  readonly name?: string
  /**
   * The name of each program, and its start in the record's time. Since version 6 of the rules, without the processes that the engine
   * started for faults.
   */
  readonly processes: readonly (readonly [name: string, startedAt: number])[]
  /** The processes outside the session of the main process; absent if there are none, and in older records. */
  readonly strays?: readonly StrayProcess[]
}

/** The name of its program, its start in the record's time, and its id on the host. */
export type StrayProcess = readonly [name: string, startedAt: number, id: number]
