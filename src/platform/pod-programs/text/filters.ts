/** wc, sort, uniq, cut, tr, base64, rev, nl and sha256sum. */
import { createHash } from 'node:crypto'
import { decodeBytes, encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'
import { joinLines, readInputs, splitLines } from './lines.ts'

const COUNTERS: readonly (readonly [string, (text: string) => number])[] = [
  ['l', (text) => text.split('\n').length - 1],
  ['w', (text) => text.split(/\s+/).filter((word) => word !== '').length],
  ['m', (text) => [...text].length],
  ['c', (text) => encodeText(text).length],
]

const wc: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'lwcm',
    long: { lines: 'l', words: 'w', bytes: 'c' },
  })
  const chosen = COUNTERS.filter(([letter]) => (options.size === 0 ? letter !== 'm' : options.has(letter)))
  const { texts, code } = readInputs(call, operands)
  const rows = texts.map(({ name, text }) => ({ name, counts: chosen.map(([, count]) => count(text)) }))
  if (operands.length > 1)
    rows.push({
      name: 'total',
      counts: chosen.map((_, index) => rows.reduce((sum, { counts }) => sum + counts[index]!, 0)),
    })
  // As wide as the number of bytes of all files; 7 for the standard input.
  const total = texts.reduce((sum, { text }) => sum + encodeText(text).length, 0)
  const isSingle = chosen.length === 1 && operands.length <= 1
  const width = isSingle ? 1 : operands.length === 0 || operands.includes('-') ? 7 : String(total).length
  for (const { name, counts } of rows) {
    const label = operands.length === 0 ? '' : ` ${name}`
    call.out(`${counts.map((count) => String(count).padStart(width)).join(' ')}${label}\n`)
  }
  return code
}

/** In the locale C, lines are sorted by their bytes. */
const byBytes = (a: string, b: string): number => Buffer.compare(encodeText(a), encodeText(b))

const numberOf = (text: string): number => Number(/^\s*-?\d*\.?\d*/.exec(text)?.[0] || 0)

const toKey = (call: PodProgramCall, spec: string | undefined, separator: string | undefined) => {
  if (spec === undefined) return (line: string) => line
  const [, first, last = ''] = /^(\d+)(?:,(\d+))?[nr]*$/.exec(spec) ?? call.refuse()
  return (line: string): string => {
    const fields = separator === undefined ? line.split(/(?<=\S)(?=\s)/) : line.split(separator)
    const end = last === '' ? undefined : Number(last)
    return fields.slice(Number(first) - 1, end).join(separator ?? '')
  }
}

const sort: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'runf',
    values: 'kt',
    long: { reverse: 'r', unique: 'u' },
  })
  if (options.has('f')) call.refuse()
  const { texts, code } = readInputs(call, operands)
  if (code !== 0) return 2
  const spec = options.get('k') as string | undefined
  const keyOf = toKey(call, spec, options.get('t') as string | undefined)
  const isNumeric = options.has('n') || /n/.test(spec ?? '')
  const isReverse = options.has('r') || /r/.test(spec ?? '')
  const compareKeys = (a: string, b: string): number => {
    const order = isNumeric ? numberOf(keyOf(a)) - numberOf(keyOf(b)) : byBytes(keyOf(a), keyOf(b))
    return isReverse ? -order : order
  }
  const isStable = options.has('u')
  // Lines with equal keys are compared as a whole.
  const whole = (a: string, b: string): number =>
    isStable ? 0 : options.has('r') ? -byBytes(a, b) : byBytes(a, b)
  const lines = texts.flatMap(({ text }) => splitLines(text)).sort((a, b) => compareKeys(a, b) || whole(a, b))
  const kept = isStable
    ? lines.filter((line, index) => index === 0 || compareKeys(lines[index - 1]!, line) !== 0)
    : lines
  call.out(joinLines(kept))
  return 0
}

const uniq: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'cdu' })
  if (operands.length > 1) call.refuse()
  const groups: { line: string; count: number }[] = []
  for (const line of splitLines(call.readText(operands[0] ?? '-'))) {
    const last = groups.at(-1)
    if (last?.line === line) last.count += 1
    else groups.push({ line, count: 1 })
  }
  for (const { line, count } of groups) {
    if ((options.has('d') && count === 1) || (options.has('u') && count > 1)) continue
    call.out(`${options.has('c') ? `${String(count).padStart(7)} ` : ''}${line}\n`)
  }
  return 0
}

/** Parses `1,3-5,7-`. */
const parseRanges = (call: PodProgramCall, list: string): ((position: number) => boolean) => {
  const ranges = list.split(',').map((each) => {
    const [, from, dash, to] = /^(\d*)(-?)(\d*)$/.exec(each) ?? []
    if (from === undefined || each === '' || each === '-') throw new ProgramFailure('invalid field value')
    const first = from === '' ? 1 : Number(from)
    if (first === 0)
      throw new ProgramFailure("fields are numbered from 1\nTry 'cut --help' for more information.")
    return [first, dash === '' ? first : to === '' ? Number.POSITIVE_INFINITY : Number(to)] as const
  })
  if (ranges.length === 0) call.refuse()
  return (position) => ranges.some(([first, last]) => position >= first && position <= last)
}

const cut: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 's',
    values: 'dfcb',
    long: { delimiter: 'd', fields: 'f' },
  })
  const delimiter = (options.get('d') as string | undefined) ?? '\t'
  const fields = options.get('f') as string | undefined
  const characters = (options.get('c') ?? options.get('b')) as string | undefined
  if (fields === undefined && characters === undefined)
    throw new ProgramFailure(
      "you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.",
    )
  const isChosen = parseRanges(call, (fields ?? characters)!)
  const { texts, code } = readInputs(call, operands)
  for (const line of texts.flatMap(({ text }) => splitLines(text))) {
    if (fields === undefined) call.out(`${[...line].filter((_, index) => isChosen(index + 1)).join('')}\n`)
    else if (line.includes(delimiter))
      call.out(
        `${line
          .split(delimiter)
          .filter((_, index) => isChosen(index + 1))
          .join(delimiter)}\n`,
      )
    else if (!options.has('s')) call.out(`${line}\n`)
  }
  return code
}

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

const tr: PodProgram = (call) => {
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

const LINE_LENGTH = 76

const base64: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'd',
    values: 'w',
    long: { decode: 'd', wrap: 'w' },
  })
  const text = call.readText(operands[0] ?? '-')
  if (options.has('d')) {
    const compact = text.replaceAll(/\s/g, '')
    call.out(decodeBytes(Buffer.from(compact, 'base64')))
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(compact) && compact.length % 4 === 0) return 0
    throw new ProgramFailure('invalid input')
  }
  const encoded = Buffer.from(encodeText(text)).toString('base64')
  const width = Number(options.get('w') ?? LINE_LENGTH)
  if (width === 0) call.out(encoded)
  else for (let at = 0; at < encoded.length; at += width) call.out(`${encoded.slice(at, at + width)}\n`)
  return 0
}

const sum =
  (algorithm: string): PodProgram =>
  (call) => {
    const { texts, code } = readInputs(call, parseOptions(call, {}).operands)
    for (const { name, text } of texts)
      call.out(`${createHash(algorithm).update(encodeText(text)).digest('hex')}  ${name}\n`)
    return code
  }

const rev: PodProgram = (call) => {
  const { texts, code } = readInputs(call, parseOptions(call, {}).operands)
  for (const { text } of texts)
    call.out(joinLines(splitLines(text).map((line) => [...line].reverse().join(''))))
  return code
}

export const filterPrograms: Readonly<Record<string, PodProgram>> = {
  base64,
  cut,
  md5sum: sum('md5'),
  rev,
  sha256sum: sum('sha256'),
  sort,
  tr,
  uniq,
  wc,
}
