/** A parsed playbook: plays with their tasks, including those of blocks. */

export type YamlMap = Readonly<Record<string, unknown>>

export interface PlaybookTask {
  /** For messages: `task 3 of play 1`, with the name of the task if it has one. */
  readonly location: string
  /** The module as written, `k8s` or `kubernetes.core.k8s`; undefined if there is none. */
  readonly module: string | undefined
  /** Further modules, which make the task invalid. */
  readonly extraModules: readonly string[]
  /** A map of arguments, or the text after the module's name. */
  readonly args: unknown
  /** All fields, including the arguments. */
  readonly fields: YamlMap
}

export interface Play {
  readonly location: string
  /** All fields, including the tasks. */
  readonly fields: YamlMap
  /** All tasks, including those of blocks, rescues and handlers, in document order. */
  readonly tasks: readonly PlaybookTask[]
  /** Blocks, whose keywords apply to their tasks. */
  readonly blocks: readonly { readonly location: string; readonly fields: YamlMap }[]
}
