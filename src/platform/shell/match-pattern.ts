/** Patterns of the shell: `*`, `?` and brackets, in file names, `case` and expansions. */

/** A piece of a pattern. Quoted characters stand for themselves. */
export interface PatternPiece {
  readonly text: string
  readonly isQuoted: boolean
}

type Test = (character: string) => boolean
type Step = 'any' | Test

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  digit: /\d/,
  lower: /[a-z]/,
  upper: /[A-Z]/,
  space: /\s/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9A-Fa-f]/,
}

/** Reads the bracket expression at the position; undefined if it has no end. */
const readBracket = (text: string, at: number): { test: Test; end: number } | undefined => {
  let position = at + 1
  const isNegated = text[position] === '!' || text[position] === '^'
  if (isNegated) position += 1
  const tests: Test[] = []
  for (let isFirst = true; isFirst || text[position] !== ']'; isFirst = false) {
    if (position >= text.length) return undefined
    const [whole, name] = /^\[:(\w+):\]/.exec(text.slice(position)) ?? []
    const characters = CLASSES[name ?? '']
    if (whole !== undefined && characters !== undefined) {
      tests.push((character) => characters.test(character))
      position += whole.length
      continue
    }
    const first = text[position]!
    const last = text[position + 1] === '-' && text[position + 2] !== ']' ? text[position + 2] : undefined
    tests.push(last === undefined ? (each) => each === first : (each) => each >= first && each <= last)
    position += last === undefined ? 1 : 3
  }
  return {
    test: (character) => tests.some((test) => test(character)) !== isNegated,
    end: position + 1,
  }
}

const isEqualTo =
  (expected: string): Test =>
  (character) =>
    character === expected

/** Joins neighbours, because a bracket expression can consist of several pieces. */
const joinPieces = (pieces: readonly PatternPiece[]): PatternPiece[] => {
  const joined: PatternPiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.isQuoted === piece.isQuoted)
      joined[joined.length - 1] = { ...last, text: last.text + piece.text }
    else joined.push(piece)
  }
  return joined
}

const parseSteps = (pieces: readonly PatternPiece[]): Step[] => {
  const steps: Step[] = []
  for (const { text, isQuoted } of joinPieces(pieces)) {
    for (let at = 0; at < text.length; ) {
      const character = text[at]!
      const bracket = character === '[' && !isQuoted ? readBracket(text, at) : undefined
      if (isQuoted) steps.push(isEqualTo(character))
      else if (character === '*') steps.push('any')
      else if (character === '?') steps.push(() => true)
      else if (bracket !== undefined) steps.push(bracket.test)
      else steps.push(isEqualTo(character))
      at = bracket?.end ?? at + 1
    }
  }
  return steps
}

/** In time that grows with the product of both lengths. */
const matches = (steps: readonly Step[], text: string): boolean => {
  let step = 0
  let retry: { step: number; at: number } | undefined
  for (let at = 0; at < text.length || step < steps.length; ) {
    const current = steps[step]
    if (current === 'any') {
      retry = { step, at }
      step += 1
    } else if (current !== undefined && at < text.length && current(text[at]!)) {
      step += 1
      at += 1
    } else if (retry !== undefined && retry.at < text.length) {
      retry.at += 1
      at = retry.at
      step = retry.step + 1
    } else return false
  }
  return true
}

export const compilePattern = (pieces: readonly PatternPiece[]): ((text: string) => boolean) => {
  const steps = parseSteps(pieces)
  return (text) => matches(steps, text)
}

/** Whether the pieces have a character that can match several texts. */
export const hasPattern = (pieces: readonly PatternPiece[]): boolean =>
  pieces.some(({ text, isQuoted }) => !isQuoted && /[*?[]/.test(text))
