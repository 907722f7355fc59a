/** The ports of the interpreter: the cluster, time, templates and commands. */
import type { Clock } from '#kit'
import type { PlaybookReport, TaskResult } from '#platform/playbook'
import type { KubeApi, KubeDiscovery } from '#spec'

/**
 * Evaluates Jinja as Ansible does. All methods throw an error named `TemplateError` with Ansible's message if the template is
 * wrong, and one named `UnsupportedTemplate` if the template uses an unsupported construct. Values of variables may be templates.
 */
export interface Templates {
  /** Renders all strings in a value, except keys. */
  render(value: unknown, variables: Variables): unknown
  /** Like `render`, but leaves strings with undefined variables unchanged. */
  renderName(value: unknown, variables: Variables): unknown
  /** Like `render`, for a value that becomes a variable: it marks the parts that must not be rendered again. */
  renderVariable(value: unknown, variables: Variables): unknown
  /** Like `render`; the name of a variable needs no braces. */
  renderBare(text: string, variables: Variables): unknown
  /** Evaluates one condition or a list of them. Python's rules decide whether a result that is not a boolean is true. */
  evaluate(condition: unknown, variables: Variables): unknown
  /** The value of `omit`. */
  readonly omit: string
}

export type Variables = Readonly<Record<string, unknown>>

/** The kind of a `TemplateError`: a variable is undefined, or Ansible or Python reports another error. */
export type TemplateErrorKind = 'undefined' | 'ansible' | 'python'

export interface CommandRequest {
  /** The words of a command, or the text of a script for /bin/sh. */
  readonly command: readonly string[] | string
  readonly stdin: string
  readonly signal: AbortSignal
}

export interface CommandOutcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command as a task does. Throws an error named `UnsupportedCommand` for a command that is not modelled. */
export interface Commands {
  run(request: CommandRequest): Promise<CommandOutcome>
}

export interface InterpreterOptions {
  readonly api: KubeApi
  readonly discovery: KubeDiscovery
  readonly clock: Clock
  readonly templates: Templates
  /** Marks a value from outside the playbook, so that templates in it are not rendered. By default, values are not marked. */
  markUnsafe?(value: unknown): unknown
  /** Runs the tasks `command`, `shell` and `raw`; if omitted, such a task is not supported. */
  readonly commands?: Commands
  /** The groups of the inventory; each consists of localhost. */
  readonly groups?: readonly string[]
  /** The path of the playbook in messages. */
  readonly path?: string
  readonly timeoutMs?: number
}

export interface InterpreterAttempt {
  readonly signal?: AbortSignal | undefined
  /** Called when a task ends. */
  onTask?(result: TaskResult): void
}

export interface InterpretedReport extends PlaybookReport {
  readonly outcome: 'ok' | 'failed' | 'unsupported'
  /** The construct that is not supported; only if the outcome is `unsupported`. */
  readonly unsupported?: string
}
