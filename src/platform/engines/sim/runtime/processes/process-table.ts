/** The processes of one simulated container. */
import type { Clock } from '#kit'
import type { ContainerResources } from '#platform/engines/sim/hosts'
import type { ProgramProcesses, ProgramSignal, SimulatedProgram, StartedProgram } from '#spec'
import { UnsupportedCommand } from '#spec'
import type { SimProcess } from '../sim-pods.ts'
import type { ProcessOutput } from './process-output.ts'
import { createProcessOutput } from './process-output.ts'
import { createProcessResources } from './process-resources.ts'
import { type Execution, type ProcessContainer, ProgramRun } from './program-process.ts'

/** The memory of a process without its allocations, unless its image declares another: that of a shell. */
export const SMALL_PROCESS_BYTES = 2 ** 20
const MAIN_ID = 1

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

interface SpawnRequest {
  readonly parentId: number
  /** That of the process itself by default. */
  readonly session: number | undefined
  readonly execution: Execution
  readonly output: ProcessOutput
  readonly errorOutput: ProcessOutput
}

/** The processes and the state that they share. */
interface TableState {
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
const createEnd = ({ ends }: TableState, run: ProgramRun): Promise<number> => {
  const ended = new Promise<number>((resolve, reject) => {
    ends.set(run, (code, failure) =>
      failure instanceof UnsupportedCommand ? reject(failure) : resolve(code),
    )
  })
  // The program that started the process does not have to wait for its end.
  ended.catch(() => {})
  return ended
}

const endAll = ({ runs }: TableState): void => {
  for (const run of [...runs.values()]) run.kill()
}

const onEnd = (state: TableState, run: ProgramRun, code: number, failure: unknown): void => {
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

const spawn = (
  state: TableState,
  { execution, session, ...request }: SpawnRequest,
): { run: ProgramRun; ended: Promise<number> } => {
  state.lastId += 1
  const id = state.lastId
  const run = new ProgramRun({
    ...request,
    id,
    session: session ?? id,
    startedAt: state.options.clock.now(),
    container: state.options,
    onEnd: (ended, code, failure) => onEnd(state, ended, code, failure),
  })
  state.runs.set(id, run)
  const ended = createEnd(state, run)
  run.execute(execution, processesOf(state, run, execution))
  return { run, ended }
}

/** Returns undefined if there is no such program, or the container has ended. */
const createExecution = (
  state: TableState,
  request: Pick<Execution, 'command' | 'folder' | 'environment' | 'input'>,
): Execution | undefined => {
  const { resources, findProgram } = state.options
  const { command, folder } = request
  const program = state.isOver ? undefined : findProgram(command[0] ?? '', folder)
  if (program === undefined) return undefined
  const own = createProcessResources(resources)
  own.memory.allocate(SMALL_PROCESS_BYTES)
  // The memory can have exceeded the limit of the container.
  if (state.isOver) return undefined
  return { ...request, program, args: command.slice(1), resources: own, close: own.close }
}

const sendSignal = ({ runs }: TableState, id: number, signal: ProgramSignal): boolean => {
  const target = runs.get(id)
  if (target === undefined) return false
  if (signal !== 'KILL') target.signal(signal)
  // The kernel protects the first process of a container from the others.
  else if (id !== MAIN_ID) target.kill()
  return true
}

/** The processes as one of them sees them. */
const processesOf = (
  state: TableState,
  run: ProgramRun,
  { environment, folder, resources }: Execution,
): ProgramProcesses => {
  const prepare = (request: Pick<Execution, 'command'> & Partial<Execution>): Execution | undefined =>
    run.isEnded ? undefined : createExecution(state, { environment, folder, input: '', ...request })
  return {
    id: run.id,
    start({ write, writeError, ...request }) {
      const execution = prepare(request)
      if (execution === undefined) return undefined
      const { output, errorOutput, session } = run.options
      const started = spawn(state, {
        parentId: run.id,
        session,
        execution,
        output: write === undefined ? output : createProcessOutput(write),
        errorOutput: writeError === undefined ? errorOutput : createProcessOutput(writeError),
      })
      return { id: started.run.id, ended: started.ended }
    },
    replace(request) {
      if (resources === state.options.resources)
        throw new Error('the main program of an image cannot run another one in its place')
      const execution = prepare(request)
      if (execution === undefined) return false
      run.execute(execution, processesOf(state, run, execution))
      return true
    },
    setTitle(title) {
      run.command = [title]
    },
    list: () => [...state.runs.values()].map(({ id, command }) => ({ id, command })),
    signal: (id, signal) => sendSignal(state, id, signal),
  }
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
    close: () => own?.close(),
  }
  spawn(state, { parentId: 0, session: undefined, execution, output, errorOutput })
}

const exec = (
  state: TableState,
  { command, input, output, errorOutput }: ExecRequest,
): ExecutedProgram | undefined => {
  const { environment, folder } = state.options
  const execution = createExecution(state, { command, input, environment, folder })
  if (execution === undefined) return undefined
  const { run, ended } = spawn(state, { parentId: 0, session: undefined, execution, output, errorOutput })
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
      })),
    isListening: (port) => runs.get(MAIN_ID)?.isListening(port) === true,
    terminate: () => runs.get(MAIN_ID)?.signal('TERM'),
    kill() {
      runs.get(MAIN_ID)?.kill()
      endAll(state)
    },
  }
}
