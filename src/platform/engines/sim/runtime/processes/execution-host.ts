/** The host of one execution: the resources, network and output that a process gives to the program that it runs. */
import type { ProcessNetwork } from '#platform/engines/sim/network'
import type { ProgramHost, ProgramNetwork, ProgramProcesses, ProgramResources, Span } from '#spec'
import type { Execution } from './execution.ts'
import type { ProcessContainer } from './process-container.ts'
import type { ProcessOutput } from './process-output.ts'

/** The process that runs the program. */
interface HostedProcess {
  readonly options: {
    readonly container: ProcessContainer
    readonly output: ProcessOutput
    readonly errorOutput: ProcessOutput
  }
  end(code: number): void
}

export class ExecutionHost implements ProgramHost {
  readonly time: ProgramResources['time']
  readonly cpu: ProgramResources['cpu']
  readonly memory: ProgramResources['memory']
  readonly files: ProgramResources['files']
  readonly random: ProgramResources['random']
  readonly environment: ProgramHost['environment']
  readonly args: readonly string[]
  readonly folder: string
  readonly processes: ProgramProcesses
  readonly #process: HostedProcess
  readonly #execution: Execution
  #network: ProcessNetwork | undefined
  #input: string | undefined
  #termination: AbortController | undefined
  #isOver = false

  constructor(process: HostedProcess, execution: Execution, processes: ProgramProcesses) {
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
    this.#process = process
    this.#execution = execution
  }

  get isOver(): boolean {
    return this.#isOver
  }

  isListening(port: number): boolean {
    return this.#network?.isListening(port) === true
  }

  get network(): ProgramNetwork {
    this.#network ??= this.#process.options.container.startNetwork()
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
    if (!this.#isOver) this.#process.options.output.write(text)
  }

  readonly writeError = (text: string): void => {
    if (!this.#isOver) this.#process.options.errorOutput.write(text)
  }

  readonly exportSpan = (span: Span): void => {
    if (!this.#isOver) this.#process.options.container.exportSpan(span)
  }

  readonly exit = (code: number): void => {
    if (!this.#isOver) this.#process.end(code)
  }

  /** Returns false if the program does not handle the signal. */
  terminate(): boolean {
    this.#termination?.abort()
    return this.#termination !== undefined
  }

  pause(isPaused: boolean): void {
    this.#execution.pause?.(isPaused)
  }

  close(): void {
    this.#isOver = true
    this.#network?.end()
    this.#execution.close()
  }
}
