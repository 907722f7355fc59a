/** A playbook as it was read: plays and their tasks, whatever blocks they stood in. */

export type YamlMap = Readonly<Record<string, unknown>>

export interface PlaybookTask {
  /** Its place: `task 3 of play 1`, with its name where it has one. */
  readonly place: string
  /** As it is written: `k8s`, `kubernetes.core.k8s`; undefined where it names none. */
  readonly module: string | undefined
  /** Modules besides the first, which no task may have. */
  readonly others: readonly string[]
  /** A map of arguments, or the text behind the module's name. */
  readonly args: unknown
  /** All that it says, arguments included. */
  readonly fields: YamlMap
}

export interface Play {
  readonly place: string
  /** All that it says, tasks included. */
  readonly fields: YamlMap
  /** Those of blocks, rescues, handlers and the rest too, in the order of the text. */
  readonly tasks: readonly PlaybookTask[]
  /** The blocks themselves, whose keywords hold for what is in them. */
  readonly blocks: readonly { readonly place: string; readonly fields: YamlMap }[]
}

export const isMap = (value: unknown): value is YamlMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
