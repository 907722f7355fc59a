/** A shell script as a tree. */

export type ParameterOperator =
  | ':-'
  | '-'
  | ':='
  | '='
  | ':+'
  | '+'
  | ':?'
  | '?'
  | '##'
  | '#'
  | '%%'
  | '%'
  | 'length'

export type WordPart =
  | { readonly type: 'text'; readonly text: string; readonly isQuoted: boolean }
  | {
      readonly type: 'parameter'
      readonly name: string
      readonly isQuoted: boolean
      readonly operator?: ParameterOperator
      /** The word after the operator: a substitute, a message or a pattern. */
      readonly operand?: Word
    }
  | { readonly type: 'substitution'; readonly script: Script; readonly isQuoted: boolean }
  | { readonly type: 'arithmetic'; readonly expression: Word; readonly isQuoted: boolean }

export type Word = readonly WordPart[]

export interface Redirection {
  readonly from: number
  /** Another descriptor, nothing, the text of a here-document, or a file. */
  readonly to:
    | { readonly descriptor: number }
    | 'closed'
    | { readonly input: Word }
    | { readonly file: Word; readonly mode: 'read' | 'replace' | 'append' }
}

interface Redirected {
  readonly redirections: readonly Redirection[]
}

export interface SimpleCommand extends Redirected {
  readonly type: 'simple'
  readonly assignments: readonly { readonly name: string; readonly value: Word }[]
  readonly words: readonly Word[]
  readonly line: number
}

export interface CompoundCommand extends Redirected {
  readonly type: 'group' | 'subshell'
  readonly body: Script
}

export interface ForCommand extends Redirected {
  readonly type: 'for'
  readonly variable: string
  /** The positional parameters by default. */
  readonly words: readonly Word[] | undefined
  readonly body: Script
}

export interface LoopCommand extends Redirected {
  readonly type: 'while' | 'until'
  readonly condition: Script
  readonly body: Script
}

export interface IfCommand extends Redirected {
  readonly type: 'if'
  readonly branches: readonly { readonly condition: Script; readonly body: Script }[]
  readonly otherwise: Script | undefined
}

export interface CaseCommand extends Redirected {
  readonly type: 'case'
  readonly word: Word
  readonly branches: readonly { readonly patterns: readonly Word[]; readonly body: Script }[]
}

export interface FunctionCommand extends Redirected {
  readonly type: 'function'
  readonly name: string
  readonly body: Command
}

export type Command =
  | SimpleCommand
  | CompoundCommand
  | ForCommand
  | LoopCommand
  | IfCommand
  | CaseCommand
  | FunctionCommand

export interface Pipeline {
  readonly isNegated: boolean
  readonly commands: readonly Command[]
}

/** Pipelines joined by `&&` and `||`. */
export interface AndOr {
  readonly first: Pipeline
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[]
  /** Whether it ends with `&`. */
  readonly isBackground: boolean
}

export type Script = readonly AndOr[]
