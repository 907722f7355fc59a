/** The ports through which actions run shell commands and playbooks. */
import type { PlaybookReport } from '#platform/playbook'
import type { KubeApi, RunManifest, SolverEvent, SystemSnapshot } from '#spec'

export interface ShellResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Why the command was killed, such as `it took longer than 60 s`. Absent if it exited. */
  readonly failure?: string
}

/** Runs commands that share a file system: a command can read the files that earlier commands wrote. */
export interface Shell {
  run(request: {
    readonly command: string
    /** Has the rights of the agent, like `kubeconfig`. */
    readonly api: KubeApi
    readonly kubeconfig: string
    readonly namespace: string
    readonly timeoutMs: number
    readonly signal: AbortSignal
  }): Promise<ShellResult>
}

export interface Playbooks {
  /** Resolves for every playbook, even an invalid one. Rejects only for failures of the machine or the engine. */
  run(request: {
    readonly text: string
    /** Has the rights of the agent, like `kubeconfig`. */
    readonly api: KubeApi
    readonly kubeconfig: string
    readonly namespace: string
    readonly rollback: Rollback
    readonly signal: AbortSignal
    /** Called before the playbook runs, if it may have to be rolled back. */
    takeSnapshot(): Promise<SystemSnapshot>
    /** Receives each result as soon as it is known: of the vetting, of each task, and of the rollback. */
    onEvent(event: SolverEvent): void
  }): Promise<PlaybookReport>
}

/** When the changes that a playbook made are rolled back: never, if it failed, or also if it did harm. */
export type Rollback = RunManifest['rollback']
