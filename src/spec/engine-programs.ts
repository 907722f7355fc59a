/** Playbooks and shell commands that an engine runs itself, instead of Ansible and a sandbox on this machine. */
import type { KubeApi } from './kube-api.ts'

/** How a task of a playbook ended. */
export interface PlaybookTaskResult {
  readonly play: string
  readonly task: string
  readonly outcome: 'ok' | 'changed' | 'skipped' | 'failed' | 'unreachable'
  /** The message of the module, if any. */
  readonly message?: string
}

export interface EnginePlaybook {
  /** YAML. */
  readonly text: string
  /** Has the rights of the account that runs the playbook. */
  readonly api: KubeApi
  /** The default namespace of commands. */
  readonly namespace: string
  /** The groups of the inventory; each consists of localhost. */
  readonly groups: readonly string[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Called when a task ends. */
  onTask?(result: PlaybookTaskResult): void
}

export interface EnginePlaybookResult {
  /** Whether the playbook ran to its end. Failed tasks that were ignored or rescued do not matter. */
  readonly ok: boolean
  /** The output of Ansible. */
  readonly output: string
  readonly tasks: readonly PlaybookTaskResult[]
  /** By the clock of the cluster. */
  readonly milliseconds: number
  /** The feature that the engine does not support. The attempt then ends without a judgement. */
  readonly unsupported?: string
}

/** Resolves for every playbook. Rejects only if the engine itself fails. */
export type RunEnginePlaybook = (playbook: EnginePlaybook) => Promise<EnginePlaybookResult>

export interface EngineCommand {
  /** The text for /bin/sh. */
  readonly command: string
  /** Has the rights of the account that runs the command. Commands with the same `api` share a file system. */
  readonly api: KubeApi
  readonly namespace: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface EngineCommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Why the command was killed. Absent if it exited. */
  readonly failure?: string
  /** The feature that the engine does not support. The attempt then ends without a judgement. */
  readonly unsupported?: string
}

/** Resolves for every command. Rejects only if the engine itself fails. */
export type RunEngineCommand = (command: EngineCommand) => Promise<EngineCommandResult>
