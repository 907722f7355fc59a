/** What the laboratory records of the inside of pods: processes and files of containers, and data of stores. */
import type { ContainerInspection } from './engine.ts'

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

/** A container as the host sees it. The files are a sample of those that existed at its first observation. */
export interface InspectedContainer extends Omit<ContainerInspection, 'fileStates' | 'folders'> {
  /** The name of the pod. */
  readonly pod: string
  /** Files of the sample that have lost content or permissions since the start of the solver, other than by the programs that write them. */
  readonly overwrittenFiles?: readonly string[]
  /** Folders with another mode or owner than at the start of the solver. */
  readonly changedFolders?: readonly string[]
}

/**
 * A sample of the data in a store, by table or collection; in Redis, entries of users and of the laboratory. Each entry is its key and a
 * fingerprint of its content, separated by a space. A table without a key has only fingerprints.
 */
export interface StoredContent {
  readonly store: string
  /** The id of the container; a restarted container has another one. */
  readonly container: string
  readonly tables: Readonly<Record<string, readonly string[]>>
  /** The number of all entries of each table; in Redis, of the keys that do not expire. Absent in older records, as the following. */
  readonly counts?: Readonly<Record<string, number>>
  /** A fingerprint of all entries of each table that is small enough to be read. */
  readonly digests?: Readonly<Record<string, string>>
  /** Settings of the server, the permissions and passwords of its users, and the columns and indexes of the tables: values or fingerprints. */
  readonly settings?: Readonly<Record<string, string>>
  /** After the solver: whether the files of the store contain what it has written, and nothing else. */
  readonly isPersisted?: boolean
}
