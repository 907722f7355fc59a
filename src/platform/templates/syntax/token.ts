/** The tokens of a template. */

export type TokenType =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  /** A position at which the lexer fails. Jinja reports the error only if the parser reaches it. */
  | 'error'
  | 'eof'

export interface Token {
  readonly type: TokenType
  /** The text; for strings with their quotes. */
  readonly value: string
  readonly line: number
  /** The offset in the source. */
  readonly start: number
}
