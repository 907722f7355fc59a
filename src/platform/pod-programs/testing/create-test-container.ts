/** A container with the everyday programs, without a network, for tests. */
import { createRandom, createVirtualClock, runVirtually, type VirtualClock } from '#kit'
import { createContainerResources, createVolume } from '#platform/engines/sim/hosts'
import type {
  ProgramHost,
  ProgramProcesses,
  ProgramSettings,
  ProgramSignal,
  SimulatedProgram,
  StartedProgram,
  StartProgramOptions,
} from '#spec'
import { UnsupportedCommand } from '#spec'
import { everydayPrograms } from '../everyday-programs.ts'

export interface TestOutcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface TestContainer {
  readonly clock: VirtualClock
  readonly files: ProgramHost['files']
  readonly processes: Pick<ProgramProcesses, 'list' | 'signal'>
  /** Runs a command to its end while virtual time passes. */
  run(command: readonly string[], options?: { input?: string; folder?: string }): Promise<TestOutcome>
  /** Starts the main program. `output` returns what it has written so far. */
  startMain(command: readonly string[]): StartedProgram & { output(): string }
}

type Write = (text: string) => void

interface Process {
  readonly id: number
  command: readonly string[]
  settings: ProgramSettings
  termination: AbortController | undefined
  isOver: boolean
  readonly write: Write
  readonly writeError: Write
  end(code: number, failure?: unknown): void
}

const SIGNALS: Readonly<Record<ProgramSignal, number>> = {
  ...{ HUP: 1, INT: 2, KILL: 9, TERM: 15, CONT: 18, STOP: 19 },
}

const noNetwork = (): never => {
  throw new Error('a test container has no network')
}

class Container {
  readonly clock = createVirtualClock(Date.UTC(2026, 0, 5))
  readonly volume = createVolume({ kind: 'disk', folders: ['tmp', 'etc', 'data', 'root'] })
  readonly resources = createContainerResources({
    clock: this.clock,
    random: createRandom('container'),
    programBytes: 0,
    mounts: [
      { path: '/', volume: this.volume },
      { path: '/small', volume: createVolume({ kind: 'memory', capacityBytes: 8192 }) },
    ],
    onOutOfMemory: () => {},
  })
  readonly all = new Map<number, Process>()
  readonly environment = { HOSTNAME: 'pod', HOME: '/root', PATH: '/usr/bin:/bin' }
  #lastId = 0

  start(
    options: StartProgramOptions,
    folder: string,
    write: Write,
    writeError: Write,
  ): StartedProgram | undefined {
    const program = this.find(options.command)
    if (program === undefined) return undefined
    this.#lastId += 1
    const id = this.#lastId
    let settle: (code: number, failure: unknown) => void = () => {}
    const ended = new Promise<number>((resolve, reject) => {
      settle = (code, failure) => (failure instanceof UnsupportedCommand ? reject(failure) : resolve(code))
    })
    ended.catch(() => {})
    const process: Process = {
      id,
      command: options.command,
      settings: { nice: 0, oomScoreAdj: 0, openFiles: [1024, 4096] },
      termination: undefined,
      isOver: false,
      write: options.write ?? write,
      writeError: options.writeError ?? writeError,
      end: (code, failure) => {
        if (process.isOver) return
        process.isOver = true
        this.all.delete(id)
        settle(code, failure)
      },
    }
    this.all.set(id, process)
    this.#execute(process, program, options, folder)
    return { id, ended }
  }

  find([name = '']: readonly string[]): SimulatedProgram | undefined {
    const bare = name.replace(/^\/(?:usr\/)?bin\//, '')
    return Object.hasOwn(everydayPrograms, bare) ? everydayPrograms[bare] : undefined
  }

  #execute(process: Process, program: SimulatedProgram, options: StartProgramOptions, folder: string): void {
    let isReplaced = false
    const own = options.folder ?? folder
    const host = this.#createHost(process, options, own, (next) => {
      const found = this.find(next.command)
      if (found === undefined) return false
      isReplaced = true
      process.command = next.command
      process.termination = undefined
      this.#execute(process, found, { environment: options.environment ?? this.environment, ...next }, own)
      return true
    })
    program(host).then(
      () => !isReplaced && process.end(0),
      (error) => !isReplaced && process.end(1, error),
    )
  }

  #createHost(
    process: Process,
    { command, environment = this.environment, input = '' }: StartProgramOptions,
    folder: string,
    replace: ProgramProcesses['replace'],
  ): ProgramHost {
    const { time, cpu, memory, files, random } = this.resources
    let text: string | undefined
    return {
      time,
      cpu,
      memory,
      files,
      random,
      network: { address: '10.0.0.1', listen: noNetwork, lookup: noNetwork, connect: noNetwork },
      environment,
      args: command.slice(1),
      folder,
      get input() {
        text ??= typeof input === 'string' ? input : input()
        return text
      },
      write: process.write,
      writeError: process.writeError,
      exportSpan: () => {},
      exit: (code) => process.end(code),
      get termination() {
        process.termination ??= new AbortController()
        return process.termination.signal
      },
      processes: {
        id: process.id,
        start: (options) =>
          this.start({ environment, ...options }, folder, process.write, process.writeError),
        replace,
        setTitle: (title) => {
          process.command = [title]
        },
        list: () => this.list(),
        signal: (id, signal) => this.signal(id, signal),
        settingsOf: (id) => this.all.get(id)?.settings,
        configure: (id, changed) => {
          const target = this.all.get(id)
          if (target !== undefined) target.settings = { ...target.settings, ...changed }
        },
      },
    }
  }

  list(): { id: number; command: readonly string[] }[] {
    return [...this.all.values()].map(({ id, command }) => ({ id, command }))
  }

  signal(id: number, signal: ProgramSignal): boolean {
    const target = this.all.get(id)
    if (target === undefined) return false
    if (signal === 'TERM' && target.termination !== undefined) target.termination.abort()
    else if (id !== 1) target.end(128 + SIGNALS[signal])
    return true
  }
}

export const createTestContainer = (): TestContainer => {
  const container = new Container()
  const { clock } = container
  const collect = () => {
    const text = { out: '', err: '' }
    return {
      text,
      write: (part: string) => {
        text.out += part
      },
      writeError: (part: string) => {
        text.err += part
      },
    }
  }
  return {
    clock,
    files: container.resources.files,
    processes: { list: () => container.list(), signal: (id, signal) => container.signal(id, signal) },
    run: (command, { input = '', folder = '/tmp' } = {}) =>
      runVirtually(clock, async () => {
        const { text, write, writeError } = collect()
        const started = container.start({ command, input, folder }, folder, write, writeError)
        if (started === undefined) return { code: 127, out: '', err: '' }
        return { code: await started.ended, ...text }
      }),
    startMain(command) {
      const { text, write, writeError } = collect()
      const started = container.start({ command }, '/', write, writeError)
      if (started === undefined) throw new Error(`no program ${command[0]}`)
      return { ...started, output: () => text.out }
    },
  }
}
