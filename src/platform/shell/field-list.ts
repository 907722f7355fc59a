/** The fields of a word, and field splitting. */
import type { PatternPiece } from './match-pattern.ts'

interface Field {
  readonly pieces: PatternPiece[]
}

export const DEFAULT_SEPARATORS = ' \t\n'

/** The end of a field. */
interface FieldEnd {
  /** Whether an empty field counts. */
  readonly keepsEmpty: boolean
}

/** Splits the value of an unquoted expansion. */
const splitFields = (text: string, separators: string): (string | FieldEnd)[] => {
  const pieces: (string | FieldEnd)[] = []
  let current = ''
  for (let at = 0; at < text.length; ) {
    if (!separators.includes(text[at]!)) {
      current += text[at]
      at += 1
      continue
    }
    let hasOther = false
    const isBlank = (character: string): boolean => DEFAULT_SEPARATORS.includes(character)
    while (at < text.length && separators.includes(text[at]!)) {
      if (!isBlank(text[at]!)) {
        if (hasOther) break
        hasOther = true
      }
      at += 1
    }
    // Blanks at the start end no field; another separator ends even an empty one.
    pieces.push(current, { keepsEmpty: hasOther })
    current = ''
  }
  pieces.push(current)
  return pieces
}

export class FieldList {
  readonly fields: Field[] = []
  /** Whether `"$@"` without parameters occurred: then an empty field does not count. */
  hasNoParameters = false
  #current: PatternPiece[] | undefined

  add(text: string, isQuoted: boolean): void {
    this.#current ??= []
    this.#current.push({ text, isQuoted })
  }

  /** `keepsEmpty`: an empty field counts. */
  end(keepsEmpty: boolean): void {
    const pieces = this.#current ?? []
    this.#current = undefined
    if (this.hasNoParameters && pieces.every(({ text }) => text === '')) return
    if (keepsEmpty || pieces.some(({ text, isQuoted }) => text !== '' || isQuoted))
      this.fields.push({ pieces })
  }
}

export const addUnquoted = (list: FieldList, text: string, separators: string): void => {
  for (const piece of splitFields(text, separators)) {
    if (typeof piece !== 'string') list.end(piece.keepsEmpty)
    else if (piece !== '') list.add(piece, false)
  }
}
