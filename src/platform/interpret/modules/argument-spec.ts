/** The specification of the arguments of a module, as Ansible writes it. */

export interface ArgumentOption {
  /** `definition` is the type of Kubernetes definitions: a map, a list or a string. */
  readonly type?: 'str' | 'bool' | 'int' | 'whole' | 'list' | 'dict' | 'raw' | 'path' | 'definition'
  readonly elements?: 'str' | 'dict'
  readonly default?: unknown
  readonly required?: boolean
  readonly choices?: readonly unknown[]
  readonly aliases?: readonly string[]
  readonly options?: ArgumentSpec
}

export type ArgumentSpec = Readonly<Record<string, ArgumentOption>>
