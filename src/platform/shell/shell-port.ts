/** The environment of a shell: programs, and files if there are any. */
import type { ProgramFiles, ProgramSignal } from '#spec'

export type Write = (text: string) => void

export interface ProgramRun {
  /** The name of the program, or its path, and its arguments. */
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** Takes the rest of the input. A program that does not read its input must not call it. */
  input(): string
  readonly out: Write
  readonly err: Write
}

export interface RunningProgram {
  /** The process id, if programs are processes. */
  readonly id?: number
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
}

export interface ShellPort {
  /** `$0`, which starts the messages of the shell: `sh`. */
  readonly name: string
  /** Whether it is bash, whose `echo` leaves escape sequences. */
  readonly isBash?: boolean
  readonly environment: Readonly<Record<string, string>>
  /** Variables that a real shell has, and whose values are not modelled. */
  readonly unknownVariables?: ReadonlySet<string>
  readonly folder: string
  /** Without files, only `/dev/null` can be redirected to. */
  readonly files?: ProgramFiles
  /** Stops the script: each command throws its reason. */
  readonly signal?: AbortSignal
  /** Resolves after the CPU time of commands of the shell itself. Without it, the number of commands of a script is limited. */
  use?(ms: number): Promise<void>
  now(): number
  /** Undefined if there is no such program. Throws UnsupportedCommand for one that is not modelled. */
  start(program: ProgramRun): RunningProgram | undefined
  /** The path of a program; undefined if there is none. */
  find?(name: string): string | undefined
  /** The processes that the shell can start in the background; absent if there are none. */
  readonly processes?: {
    readonly id: number
    signal(id: number, signal: ProgramSignal): boolean
    /** Runs a program in place of the shell. Returns false if there is none. The shell then does not continue. */
    replace(program: Omit<ProgramRun, 'out' | 'err'>): boolean
    /** Calls the listener when the shell receives `TERM`, which then does not end the shell. */
    onTermination(listener: () => void): void
  }
}
