/** The processes of one simulated container. */
import type { SimulatedProgram, StartedProgram } from '#spec'
import type { SimProcess } from '../sim-pods.ts'
import type { Execution } from './execution.ts'
import type { ProcessOutput } from './process-output.ts'
import { createProcessResources } from './process-resources.ts'
import type { ProgramRun } from './program-run.ts'
import { createExecution, spawnProcess } from './spawn-process.ts'
import { endAll, MAIN_ID, type ProcessTableOptions, type TableState } from './table-state.ts'

/** The first program of the container. */
export interface MainProgram {
  readonly program: SimulatedProgram
  /** As a list of processes shows it. */
  readonly command: readonly string[]
  readonly args: readonly string[]
  /** The program uses the resources of the container directly, which is faster. It cannot run another one in its place. */
  readonly isDirect: boolean
}

export interface ExecRequest {
  readonly command: readonly string[]
  readonly input: string
  readonly output: ProcessOutput
  readonly errorOutput: ProcessOutput
}

/** A program that was started from outside the container. */
export interface ExecutedProgram extends StartedProgram {
  /** Kills the program and everything that it has started. */
  kill(): void
}

export interface ProcessTable {
  startMain(main: MainProgram): void
  /** Returns undefined if there is no such program. */
  exec(request: ExecRequest): ExecutedProgram | undefined
  list(): readonly SimProcess[]
  /** Whether the main process listens on the port. */
  isListening(port: number): boolean
  /** Sends TERM to the main process. */
  terminate(): void
  /** Ends all processes, first the main one. */
  kill(): void
}

const startMain = (state: TableState, { isDirect, ...main }: MainProgram): void => {
  const { resources, environment, folder, output, errorOutput } = state.options
  const own = isDirect ? undefined : createProcessResources(resources)
  const execution: Execution = {
    ...main,
    environment,
    folder,
    input: '',
    resources: own ?? resources,
    pause: own?.pause,
    close: () => own?.close(),
  }
  spawnProcess(state, { parentId: 0, session: undefined, execution, output, errorOutput })
}

const exec = (
  state: TableState,
  { command, input, output, errorOutput }: ExecRequest,
): ExecutedProgram | undefined => {
  const { environment, folder } = state.options
  const execution = createExecution(state, { command, input, environment, folder })
  if (execution === undefined) return undefined
  const { run, ended } = spawnProcess(state, {
    parentId: 0,
    session: undefined,
    execution,
    output,
    errorOutput,
  })
  return {
    id: run.id,
    ended,
    kill() {
      for (const each of [...state.runs.values()]) if (each.options.session === run.id) each.kill()
    },
  }
}

/** Whether a process descends from the main process, or has become its child because its parent has ended. */
const descendsFromMain = ({ runs }: TableState, run: ProgramRun): boolean => {
  let current: ProgramRun | undefined = run
  while (current !== undefined && current.id !== MAIN_ID) current = runs.get(current.parentId)
  return current !== undefined
}

export const createProcessTable = (options: ProcessTableOptions): ProcessTable => {
  const state: TableState = { options, runs: new Map(), ends: new Map(), lastId: 0, isOver: false }
  const { runs } = state
  return {
    startMain: (main) => startMain(state, main),
    exec: (request) => exec(state, request),
    list: () =>
      [...runs.values()].map((run) => ({
        id: run.id,
        command: run.command,
        startedAt: run.options.startedAt,
        isFromExec: !descendsFromMain(state, run),
        isStray: run.options.session !== MAIN_ID,
        isStopped: run.isStopped,
        settings: run.settings,
      })),
    isListening: (port) => runs.get(MAIN_ID)?.isListening(port) === true,
    terminate: () => runs.get(MAIN_ID)?.signal('TERM'),
    kill() {
      runs.get(MAIN_ID)?.kill()
      endAll(state)
    },
  }
}
