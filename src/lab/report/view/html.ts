/** HTML templates that escape their parts, unless a part is a template. */
import { INVISIBLE_CHARACTERS } from '#lab/text'

/** Created by `html` and `raw` only. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = string | number | Html | undefined | false | readonly Part[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const toVisible = (character: string): string => {
  if (character === '\n' || character === '\t') return character
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

/** Escapes text for elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(INVISIBLE_CHARACTERS, toVisible).replace(/[&<>"']/g, (character) => ENTITIES[character]!)

const toText = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(toText).join('') : escapeHtml(String(part))
}

/** Escapes parts, joins lists, and omits `undefined` and `false`. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((string, index) => string + toText(parts[index])).join(''))

/** Marks text as safe. Used for the style and the script of the page. */
export const raw = (text: string): Html => new Html(text)
