/** A template or condition that Ansible and Remedium evaluate, and the answers. */

export interface Case {
  readonly kind: 'render' | 'condition' | 'bare'
  readonly text: string
}

/** Values are tagged with their types, see `toTagged`. */
export type Answer =
  | {
      readonly value: unknown
      /** As Python prints it, with lists instead of tuples; only in answers of Ansible. */
      readonly repr?: string
    }
  | { readonly error: string; readonly message: string }
  | { readonly unsupported: string }

export interface CaseVariables {
  /** Variables of the play, which may contain templates. */
  readonly variables: Readonly<Record<string, unknown>>
  /** Results of tasks, which are never rendered. */
  readonly unsafe: Readonly<Record<string, unknown>>
}
