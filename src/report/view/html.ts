/** HTML that cannot be broken out of: whatever is put into a template is text, unless it was made by a template itself. */
import { UNSEEN_LETTERS } from './unseen-letters.ts'

/** Only `html` and `raw` make one. */
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

const toVisible = (letter: string): string => {
  if (letter === '\n' || letter === '\t') return letter
  const code = letter.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

/** Text as it can stand between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(UNSEEN_LETTERS, toVisible).replace(/[&<>"']/g, (letter) => ENTITIES[letter]!)

const toText = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(toText).join('') : escapeHtml(String(part))
}

/** A template: parts are escaped, lists are joined, `undefined` and `false` are nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((string, index) => string + toText(parts[index])).join(''))

/** What is known to be safe: our own style and script. */
export const raw = (text: string): Html => new Html(text)
