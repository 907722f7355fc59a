/** One process of a simulated container: a program on its host, from its start to its end. */
import type { ProcessNetwork } from '#platform/engines/sim/network'
import type {
  ProgramHost,
  ProgramNetwork,
  ProgramProcesses,
  ProgramResources,
  ProgramSignal,
  SimulatedProgram,
  Span,
} from '#spec'
import { UnsupportedCommand } from '#spec'
import type { ProcessOutput } from './process-output.ts'

/** What a process needs of its container. */
export interface ProcessContainer {
  startNetwork(): ProcessNetwork
  exportSpan(span: Span): void
  onError(error: unknown): void
}

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

export interface ProcessOptions {
  readonly id: number
  /** 0 for the main process and for those that exec starts. */
  readonly parentId: number
  /** The id of the process whose end by the client ends this one: that of the main process or of an exec. */
  readonly session: number
  readonly startedAt: number
  readonly container: ProcessContainer
  readonly output: ProcessOutput
  readonly errorOutput: ProcessOutput
  onEnd(process: ProgramRun, code: number, failure: unknown): void
}

const SIGNAL_NUMBERS: Readonly<Record<ProgramSignal, number>> = { HUP: 1, INT: 2, KILL: 9, TERM: 15 }

const codeOf = (signal: ProgramSignal): number => 128 + SIGNAL_NUMBERS[signal]

/** The host of one execution. */
class ExecutionHost implements ProgramHost {
  readonly time: ProgramResources['time']
  readonly cpu: ProgramResources['cpu']
  readonly memory: ProgramResources['memory']
  readonly files: ProgramResources['files']
  readonly random: ProgramResources['random']
  readonly environment: ProgramHost['environment']
  readonly args: readonly string[]
  readonly folder: string
  readonly processes: ProgramProcesses
  readonly #run: ProgramRun
  readonly #execution: Execution
  #network: ProcessNetwork | undefined
  #input: string | undefined
  #termination: AbortController | undefined
  #isOver = false

  constructor(run: ProgramRun, execution: Execution, processes: ProgramProcesses) {
    const { resources } = execution
    this.time = resources.time
    this.cpu = resources.cpu
    this.memory = resources.memory
    this.files = resources.files
    this.random = resources.random
    this.environment = execution.environment
    this.args = execution.args
    this.folder = execution.folder
    this.processes = processes
    this.#run = run
    this.#execution = execution
  }

  get isOver(): boolean {
    return this.#isOver
  }

  isListening(port: number): boolean {
    return this.#network?.isListening(port) === true
  }

  get network(): ProgramNetwork {
    this.#network ??= this.#run.options.container.startNetwork()
    if (this.#isOver) this.#network.end()
    return this.#network.network
  }

  get input(): string {
    const { input } = this.#execution
    this.#input ??= typeof input === 'string' ? input : input()
    return this.#input
  }

  get termination(): AbortSignal {
    this.#termination ??= new AbortController()
    return this.#termination.signal
  }

  // Functions as properties, because programs pass them on.
  readonly write = (text: string): void => {
    if (!this.#isOver) this.#run.options.output.write(text)
  }

  readonly writeError = (text: string): void => {
    if (!this.#isOver) this.#run.options.errorOutput.write(text)
  }

  readonly exportSpan = (span: Span): void => {
    if (!this.#isOver) this.#run.options.container.exportSpan(span)
  }

  readonly exit = (code: number): void => {
    if (!this.#isOver) this.#run.end(code)
  }

  /** Returns false if the program does not handle the signal. */
  terminate(): boolean {
    this.#termination?.abort()
    return this.#termination !== undefined
  }

  close(): void {
    this.#isOver = true
    this.#network?.end()
    this.#execution.close()
  }
}

/** A running or ended process. */
export class ProgramRun {
  readonly options: ProcessOptions
  parentId: number
  command: readonly string[] = []
  isEnded = false
  #host: ExecutionHost | undefined

  constructor(options: ProcessOptions) {
    this.options = options
    this.parentId = options.parentId
    options.output.hold()
    options.errorOutput.hold()
  }

  get id(): number {
    return this.options.id
  }

  isListening(port: number): boolean {
    return this.#host?.isListening(port) === true
  }

  /** Runs a program, in place of the one that runs so far. */
  execute(execution: Execution, processes: ProgramProcesses): void {
    this.#host?.close()
    const host = new ExecutionHost(this, execution, processes)
    this.#host = host
    this.command = execution.command
    const fail = (error: unknown): void => {
      if (!host.isOver) this.#fail(host, error)
    }
    try {
      execution.program(host).then(() => host.exit(0), fail)
    } catch (error) {
      fail(error)
    }
  }

  signal(signal: ProgramSignal): void {
    if (signal === 'TERM' && this.#host?.terminate() === true) return
    if (this.id !== 1) this.end(codeOf(signal))
  }

  kill(): void {
    this.end(codeOf('KILL'))
  }

  end(code: number, failure?: unknown): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#host?.close()
    const { output, errorOutput, onEnd } = this.options
    onEnd(this, code, failure)
    output.release()
    errorOutput.release()
  }

  #fail(host: ExecutionHost, error: unknown): void {
    const { container } = this.options
    if (!(error instanceof UnsupportedCommand))
      host.writeError(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`)
    container.onError(error)
    this.end(1, error)
  }
}
