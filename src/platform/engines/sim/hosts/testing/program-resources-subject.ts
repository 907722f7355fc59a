/** The subject of the contract suite of ProgramResources: an implementation and its environment. */
import type { ProgramResources } from '#spec'

export interface ProgramResourcesSubject {
  readonly resources: ProgramResources
  /** An empty folder in which the program can create files. */
  readonly folder: string
  /** Runs asynchronous work; under a virtual clock, time passes while the work waits. */
  run<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type GetSubject = () => ProgramResourcesSubject
