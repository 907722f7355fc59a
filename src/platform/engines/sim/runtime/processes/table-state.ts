/** The processes of a simulated container, the state that they share, and their ends. */
import type { Clock } from '#kit'
import type { ContainerResources } from '#platform/engines/sim/hosts'
import { type SimulatedProgram, UnsupportedCommand } from '#spec'
import type { ProcessContainer } from './process-container.ts'
import type { ProcessOutput } from './process-output.ts'
import type { ProgramRun } from './program-run.ts'

export const MAIN_ID = 1

export interface ProcessTableOptions extends ProcessContainer {
  readonly clock: Clock
  readonly resources: ContainerResources
  /** The environment of a program that exec starts. */
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  readonly output: ProcessOutput
  readonly errorOutput: ProcessOutput
  /** Relative paths start at the folder. */
  findProgram(name: string, folder: string): SimulatedProgram | undefined
  /** Called when the main process has ended, before the others end. */
  onMainEnd(code: number): void
}

/** The processes and the state that they share. */
export interface TableState {
  readonly options: ProcessTableOptions
  /** In the order of their start. */
  readonly runs: Map<number, ProgramRun>
  /** Settle the promises of the ends. */
  readonly ends: Map<ProgramRun, (code: number, failure: unknown) => void>
  lastId: number
  /** Whether the main process has ended. */
  isOver: boolean
}

/** The end of a process as a promise. */
export const createEnd = ({ ends }: TableState, run: ProgramRun): Promise<number> => {
  const ended = new Promise<number>((resolve, reject) => {
    ends.set(run, (code, failure) =>
      failure instanceof UnsupportedCommand ? reject(failure) : resolve(code),
    )
  })
  // The program that started the process does not have to wait for its end.
  ended.catch(() => {})
  return ended
}

export const endAll = ({ runs }: TableState): void => {
  for (const run of [...runs.values()]) run.kill()
}

export const onEnd = (state: TableState, run: ProgramRun, code: number, failure: unknown): void => {
  const { runs, ends, options } = state
  runs.delete(run.id)
  for (const other of runs.values()) if (other.parentId === run.id) other.parentId = MAIN_ID
  ends.get(run)?.(code, failure)
  ends.delete(run)
  if (run.id !== MAIN_ID) return
  state.isOver = true
  options.onMainEnd(code)
  endAll(state)
}
