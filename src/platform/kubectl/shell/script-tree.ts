/** A shell script as a tree. */

export type WordPart =
  | { readonly type: 'text'; readonly text: string; readonly isQuoted: boolean }
  | {
      readonly type: 'parameter'
      readonly name: string
      readonly isQuoted: boolean
      /** `:-` or `-`, with the word that replaces a missing value. */
      readonly operator?: string
      readonly alternative?: Word
    }
  | { readonly type: 'substitution'; readonly script: Script; readonly isQuoted: boolean }

export type Word = readonly WordPart[]

export interface Redirection {
  readonly from: number
  /** Another descriptor, `/dev/null`, or the text of a here-document. */
  readonly to: { readonly descriptor: number } | 'discard' | { readonly input: Word }
}

export interface SimpleCommand {
  readonly type: 'simple'
  readonly assignments: readonly { readonly name: string; readonly value: Word }[]
  readonly words: readonly Word[]
  readonly redirections: readonly Redirection[]
}

export interface CompoundCommand {
  readonly type: 'group' | 'subshell'
  readonly body: Script
  readonly redirections: readonly Redirection[]
}

export interface ForCommand {
  readonly type: 'for'
  readonly variable: string
  readonly words: readonly Word[]
  readonly body: Script
  readonly redirections: readonly Redirection[]
}

export interface LoopCommand {
  readonly type: 'while' | 'until'
  readonly condition: Script
  readonly body: Script
  readonly redirections: readonly Redirection[]
}

export interface IfCommand {
  readonly type: 'if'
  readonly branches: readonly { readonly condition: Script; readonly body: Script }[]
  readonly otherwise: Script | undefined
  readonly redirections: readonly Redirection[]
}

export type Command = SimpleCommand | CompoundCommand | ForCommand | LoopCommand | IfCommand

export interface Pipeline {
  readonly isNegated: boolean
  readonly commands: readonly Command[]
}

/** Pipelines joined by `&&` and `||`. */
export interface AndOr {
  readonly first: Pipeline
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[]
}

export type Script = readonly AndOr[]
