/** What is to be run in a sandbox, and what came of it. */
import type { SandboxLimits } from './sandbox-limits.ts'

export interface SandboxRequest {
  /** Program and arguments, as the sandbox sees them. */
  readonly command: readonly string[]
  /** Read-only, in the folder `/input`; names without folders. */
  readonly files?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** `/work` where absent, whose files stay for the next run in this sandbox. */
  readonly folder?: string
  readonly limits?: Partial<SandboxLimits>
  readonly signal?: AbortSignal | undefined
  /**
   * Told each line that the program writes to its descriptor 3, long ones not at all. Whatever runs inside can write
   * there: a line is a claim, not a fact.
   */
  onLine?(line: string): void
}

export interface SandboxOutcome {
  /** What a shell would say: 137 where it was killed. */
  readonly exitCode: number
  /** The beginning and the end of it, where it is much. */
  readonly stdout: string
  readonly stderr: string
  /** Why it was made to end before its time: `time`, `output`, or `aborted` by whoever began it. */
  readonly cut?: 'time' | 'output' | 'aborted'
  /** The same in words, or that it wanted more memory than it may have; absent where it ended by itself. */
  readonly trouble?: string
  readonly milliseconds: number
}
