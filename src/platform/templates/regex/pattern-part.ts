/** A translated part of a regular expression. */

export interface PatternPart {
  readonly source: string
  readonly canBeEmpty: boolean
  readonly hasGroup: boolean
  /** Whether the part is an assertion such as `^`, which cannot be repeated. */
  readonly isAssertion?: boolean
}

/** The options for matching characters. */
export interface MatchOptions {
  readonly ignoresCase: boolean
  /** Whether the searched text is ASCII only. */
  readonly isAscii: boolean
}

export const assertionPart = (source: string): PatternPart => ({
  source,
  canBeEmpty: true,
  hasGroup: false,
  isAssertion: true,
})
