/** Splits an expression of the MongoDB shell into tokens. */
import { UnsupportedCommand } from '#spec'

export interface ShellToken {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end'
  /** The name, the sign, or the source of a number; the content of a text. */
  readonly text: string
}

const TOKEN =
  /\s*(?:(?<name>[A-Za-z_$][\w$]*)|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])|(?<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$])*`)|(?<sign>[-.,:;()[\]{}]))/y

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unquote = (quoted: string): string =>
  quoted.slice(1, -1).replace(/\\(.)/g, (whole, character: string) => {
    if (/[0-9a-zA-Z]/.test(character) && ESCAPES[character] === undefined)
      throw new UnsupportedCommand(`the escape ${whole} in the MongoDB shell`)
    return ESCAPES[character] ?? character
  })

/** Throws an `UnsupportedCommand` for all other tokens. */
export const readShellTokens = (source: string): ShellToken[] => {
  const tokens: ShellToken[] = []
  const text = source.trimEnd()
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at
    const { name, number, quoted, sign } = TOKEN.exec(text)?.groups ?? {}
    if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: unquote(quoted) })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign })
    else throw new UnsupportedCommand(`"${text.slice(at, at + 40).trim()}" in the MongoDB shell`)
  }
  return [...tokens, { kind: 'end', text: '' }]
}
