/** Starts processes of a simulated container, for the container and for its programs. */
import type { ProgramProcesses, ProgramSignal } from '#spec'
import type { Execution } from './execution.ts'
import { findScript } from './find-script.ts'
import { createProcessOutput, type ProcessOutput } from './process-output.ts'
import { createProcessResources } from './process-resources.ts'
import { ProgramRun } from './program-run.ts'
import { createEnd, MAIN_ID, onEnd, type TableState } from './table-state.ts'

/** The memory of a process without its allocations, unless its image declares another: that of a shell. */
export const SMALL_PROCESS_BYTES = 2 ** 20

interface SpawnRequest {
  readonly parentId: number
  /** That of the process itself by default. */
  readonly session: number | undefined
  readonly execution: Execution
  readonly output: ProcessOutput
  readonly errorOutput: ProcessOutput
}

export const spawnProcess = (
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
export const createExecution = (
  state: TableState,
  request: Pick<Execution, 'command' | 'folder' | 'environment' | 'input'>,
): Execution | undefined => {
  const { resources, findProgram } = state.options
  const { command, folder } = request
  const words = state.isOver ? command : (findScript(resources.files, command, folder) ?? command)
  const program = state.isOver ? undefined : findProgram(words[0] ?? '', folder)
  if (program === undefined) return undefined
  const own = createProcessResources(resources)
  own.memory.allocate(SMALL_PROCESS_BYTES)
  // The memory can have exceeded the limit of the container.
  if (state.isOver) return undefined
  return { ...request, program, args: words.slice(1), resources: own, pause: own.pause, close: own.close }
}

const sendSignal = (
  state: Pick<TableState, 'runs'>,
  id: number,
  { signal, from }: { signal: ProgramSignal; from: number },
): boolean => {
  if (id === -1) {
    const others = [...state.runs.keys()].filter((each) => each !== MAIN_ID && each !== from)
    for (const other of others) sendSignal(state, other, { signal, from })
    return others.length > 0
  }
  const target = state.runs.get(id)
  if (target === undefined) return false
  if (signal !== 'KILL') target.signal(signal)
  // The kernel protects the first process of a container from the others.
  else if (id !== MAIN_ID) target.kill()
  return true
}

/** Settles as the promise does, but never after the process has ended, so that its program does not continue. */
const whileRunning = <T>(run: ProgramRun, promise: Promise<T>): Promise<T> => {
  const guarded = new Promise<T>((resolve, reject) => {
    promise.then(
      (value) => {
        if (!run.isEnded) resolve(value)
      },
      (error) => {
        if (!run.isEnded) reject(error)
      },
    )
  })
  guarded.catch(() => {})
  return guarded
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
      const started = spawnProcess(state, {
        parentId: run.id,
        session,
        execution,
        output: write === undefined ? output : createProcessOutput(write),
        errorOutput: writeError === undefined ? errorOutput : createProcessOutput(writeError),
      })
      return { id: started.run.id, ended: whileRunning(run, started.ended) }
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
    signal: (id, signal) => sendSignal(state, id, { signal, from: run.id }),
    settingsOf: (id) => state.runs.get(id)?.settings,
    configure(id, changed) {
      const target = state.runs.get(id)
      if (target !== undefined) target.settings = { ...target.settings, ...changed }
    },
  }
}
