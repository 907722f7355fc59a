/** One process of a simulated container: it runs a program, or several one after another, until it ends. */
import { type ProgramProcesses, type ProgramSettings, type ProgramSignal, UnsupportedCommand } from '#spec'
import type { Execution } from './execution.ts'
import { ExecutionHost } from './execution-host.ts'
import type { ProcessContainer } from './process-container.ts'
import type { ProcessOutput } from './process-output.ts'

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

const SIGNAL_NUMBERS: Readonly<Record<ProgramSignal, number>> = {
  ...{ HUP: 1, INT: 2, KILL: 9, TERM: 15, CONT: 18, STOP: 19 },
}

/** Those of a container on a local cluster. */
const INITIAL_SETTINGS: ProgramSettings = { nice: 0, oomScoreAdj: 0, openFiles: [1_048_576, 1_048_576] }

const codeOf = (signal: ProgramSignal): number => 128 + SIGNAL_NUMBERS[signal]

/** A running or ended process. */
export class ProgramRun {
  readonly options: ProcessOptions
  parentId: number
  command: readonly string[] = []
  isEnded = false
  settings = INITIAL_SETTINGS
  #isStopped = false
  /** A signal that ends the process when it continues. */
  #pending: ProgramSignal | undefined
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

  get isStopped(): boolean {
    return this.#isStopped
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
    if (signal === 'STOP' || signal === 'CONT') {
      this.#setStopped(signal === 'STOP')
      return
    }
    if (this.#isStopped) {
      this.#pending ??= signal
      return
    }
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

  /** The kernel protects the first process of a container from the others. */
  #setStopped(isStopped: boolean): void {
    if (this.id === 1 || this.isEnded) return
    this.#isStopped = isStopped
    this.#host?.pause(isStopped)
    const pending = this.#pending
    this.#pending = undefined
    if (pending !== undefined) this.signal(pending)
  }

  #fail(host: ExecutionHost, error: unknown): void {
    const { container } = this.options
    if (!(error instanceof UnsupportedCommand))
      host.writeError(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`)
    container.onError(error)
    this.end(1, error)
  }
}
