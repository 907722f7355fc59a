/** The request and the outcome of a run in a sandbox. */
import type { SandboxLimits } from './sandbox-limits.ts'

export interface SandboxRequest {
  /** The program and its arguments, with paths of the sandbox. */
  readonly command: readonly string[]
  /** Read-only files in the folder `/input`, by plain name. */
  readonly files?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** The working directory; `/work` by default, whose files are kept for the next run. */
  readonly folder?: string
  readonly limits?: Partial<SandboxLimits>
  readonly signal?: AbortSignal | undefined
  /**
   * Called for each line that the program writes to descriptor 3; long lines are dropped. Any process in the sandbox can
   * write there, so lines must not be trusted.
   */
  onLine?(line: string): void
}

export interface SandboxOutcome {
  /** As in a shell: 137 if it was killed. */
  readonly exitCode: number
  /** Only the beginning and the end of long output. */
  readonly stdout: string
  readonly stderr: string
  /** Why it was stopped early; `aborted` means that the caller stopped it. */
  readonly stoppedBy?: 'time' | 'output' | 'aborted'
  /** The reason in words, including lack of memory; undefined if the program ended normally. */
  readonly failure?: string
  readonly milliseconds: number
}
