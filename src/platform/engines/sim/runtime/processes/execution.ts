/** A program with its arguments and resources, which a process of a simulated container runs. */
import type { ProgramResources, SimulatedProgram } from '#spec'

/** One execution of a program in a process. It ends when the process ends, or runs another program in its place. */
export interface Execution {
  readonly program: SimulatedProgram
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  readonly input: string | (() => string)
  readonly resources: ProgramResources
  /** Absent if the program uses the resources of the container directly. */
  readonly pause?: ((isPaused: boolean) => void) | undefined
  /** Releases the resources. */
  close(): void
}
