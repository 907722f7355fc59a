/** tr: replaces or removes characters. */
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'

const TR_CLASSES: Readonly<Record<string, string>> = {
  lower: 'a-z',
  upper: 'A-Z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: '0-9A-Za-z',
  space: '\t-\r ',
  punct: '!-/:-@[-`{-~',
}

const TR_ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', 0: '\0' }

const expandSet = (text: string): string[] => {
  const plain = text
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => TR_CLASSES[name] ?? whole)
    .replaceAll(/\\(.)/g, (_, letter: string) => TR_ESCAPES[letter] ?? letter)
  const characters: string[] = []
  for (let at = 0; at < plain.length; at += 1) {
    if (plain[at + 1] === '-' && at + 2 < plain.length) {
      for (let code = plain.charCodeAt(at); code <= plain.charCodeAt(at + 2); code += 1)
        characters.push(String.fromCharCode(code))
      at += 2
    } else characters.push(plain[at]!)
  }
  return characters
}

export const tr: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'dscC', stopsAtOperand: true })
  const [first, second] = operands
  if (first === undefined || (second === undefined && !options.has('d') && !options.has('s'))) call.refuse()
  const from = expandSet(first ?? '')
  const isComplement = options.has('c') || options.has('C')
  const isIn = (character: string): boolean => from.includes(character) !== isComplement
  const to = expandSet(second ?? '')
  const translate = (character: string): string => {
    if (options.has('d') || second === undefined || !isIn(character)) return character
    return isComplement ? to.at(-1)! : (to[from.lastIndexOf(character)] ?? to.at(-1)!)
  }
  const squeezed = new Set(second === undefined ? from : to)
  let last = ''
  let result = ''
  for (const character of call.host.input) {
    if (options.has('d') && isIn(character)) continue
    const translated = translate(character)
    if (options.has('s') && translated === last && squeezed.has(translated)) continue
    last = translated
    result += translated
  }
  call.out(result)
  return 0
}
