/** A program with its arguments and resources, as a process of a simulated container runs it. */
import type { ProgramResources, SimulatedProgram } from '#spec'

/** What runs in a process, until the process ends or runs another program in its place. */
export interface Execution {
  readonly program: SimulatedProgram
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  readonly input: string | (() => string)
  readonly resources: ProgramResources
  /** Releases the resources. */
  close(): void
}
