/** The structure of a playbook: plays, blocks and tasks, with the keywords that tasks inherit. */
import type { YamlPosition } from '../yaml/read-ansible-yaml.ts'

export type Values = Readonly<Record<string, unknown>>

/** Keywords that a task takes from its blocks and its play. Values may be templates. */
export interface Inherited {
  /** Conditions, the outermost first. */
  readonly when: readonly unknown[]
  /** Variables of blocks and of the task itself. */
  readonly vars: Values
  readonly moduleDefaults: readonly Values[]
  readonly environment: readonly unknown[]
  readonly tags: readonly unknown[]
  readonly collections: readonly string[]
  readonly ignoreErrors: unknown
  readonly ignoreUnreachable: unknown
  readonly noLog: unknown
  readonly checkMode: unknown
  readonly runOnce: unknown
  readonly delegateTo: unknown
  readonly notify: readonly unknown[]
}

export interface Task {
  readonly type: 'task'
  readonly name: string
  /** The module as written, such as `k8s`. */
  readonly action: string
  /** The full name of the module. */
  readonly module: string
  readonly args: Values
  readonly position: YamlPosition | undefined
  readonly inherited: Inherited
  readonly loop: unknown
  /** The lookup plugin of `with_...`. */
  readonly loopWith: string | undefined
  readonly loopControl: Values
  readonly until: readonly unknown[]
  readonly retries: unknown
  readonly delay: unknown
  readonly register: string | undefined
  readonly failedWhen: readonly unknown[]
  readonly changedWhen: readonly unknown[]
  /** Topics of a handler. */
  readonly listen: readonly string[]
}

export interface Block {
  readonly type: 'block'
  readonly block: readonly PlayNode[]
  readonly rescue: readonly PlayNode[]
  readonly always: readonly PlayNode[]
}

export type PlayNode = Task | Block

export interface Play {
  readonly name: string
  readonly hosts: readonly string[]
  readonly vars: Values
  /** Undefined if the play does not specify it. */
  readonly gatherFacts: unknown
  readonly preTasks: readonly PlayNode[]
  readonly tasks: readonly PlayNode[]
  readonly postTasks: readonly PlayNode[]
  readonly handlers: readonly Task[]
}
