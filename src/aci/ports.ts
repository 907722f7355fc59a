/** What actions need beyond the cluster and its telemetry: a shell that does no harm, and somebody who runs playbooks. */
import type { EpisodeEvent, Remembered, RunManifest, SolverEvent } from '../spec/index.ts'

export interface ShellOutcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Why it was ended before its time: `it took longer than 60 s`; absent where it ended by itself. */
  readonly trouble?: string
}

/** Files stay from one command to the next. */
export interface Shell {
  run(request: {
    readonly command: string
    readonly kubeconfig: string
    readonly namespace: string
    readonly timeoutMs: number
    readonly signal: AbortSignal
  }): Promise<ShellOutcome>
}

export type PlaybookTask = Omit<Extract<EpisodeEvent, { type: 'task-ended' }>, 'at' | 'type'>

export interface PlaybookReport {
  /** Whether it ran to its end: tasks that failed were ignored or rescued. */
  readonly ok: boolean
  readonly tasks: readonly PlaybookTask[]
  /** What Ansible said. */
  readonly output: string
  /** What is noteworthy about it before it was run; where it was refused, why. */
  readonly findings?: readonly string[]
  /** It was not run at all. */
  readonly isRefused?: boolean
  /** `Deployment/cart`; absent where nothing was taken back. */
  readonly rolledBack?: readonly string[]
}

export interface Playbooks {
  /** Resolves whatever the playbook is; rejects where the machine is at fault. */
  run(request: {
    readonly text: string
    readonly kubeconfig: string
    readonly namespace: string
    readonly rollback: Rollback
    readonly signal: AbortSignal
    /** Of the system before it runs. */
    remember(): Promise<Remembered>
    /** Told of vetting, of each task, and of what was taken back, as they happen. */
    onEvent(event: SolverEvent): void
  }): Promise<PlaybookReport>
}

/** When what a playbook did is taken back: where it failed, or also where it did harm. */
export type Rollback = RunManifest['rollback']
