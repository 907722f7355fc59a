/** sed with the commands s, d, p and q, and addresses. */
import type { LinearPattern } from '#kit'
import { encodeText, writeAll } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { readInputs, splitLines } from './lines.ts'
import { compileExpression, fromBasic } from './regular-expression.ts'

interface Line {
  text: string
  readonly number: number
  readonly isLast: boolean
}

type Address = (line: Line) => boolean

interface Command {
  readonly from: Address | undefined
  readonly to: Address | undefined
  readonly name: string
  /** Changes the line. Returns whether it did. */
  readonly substitute?: (line: Line) => boolean
  readonly prints?: boolean
  isInRange: boolean
}

const ADDRESS = /^\s*(?:(\d+)|(\$)|\/((?:[^/\\]|\\.)*)\/)/

class Parser {
  #rest: string
  readonly #call: PodProgramCall
  readonly #isExtended: boolean

  constructor(call: PodProgramCall, script: string, isExtended: boolean) {
    this.#call = call
    this.#rest = script
    this.#isExtended = isExtended
  }

  parse(): Command[] {
    const commands: Command[] = []
    for (;;) {
      this.#rest = this.#rest.replace(/^[\s;]+/, '')
      if (this.#rest === '') return commands
      commands.push(this.#command())
    }
  }

  #compile(source: string): LinearPattern {
    return compileExpression(this.#call, this.#isExtended ? source : fromBasic(source))
  }

  #address(): Address | undefined {
    const found = ADDRESS.exec(this.#rest)
    if (found === null) return undefined
    this.#rest = this.#rest.slice(found[0].length)
    const [, number, last, source] = found
    if (number !== undefined) return (line) => line.number === Number(number)
    if (last !== undefined) return (line) => line.isLast
    const pattern = this.#compile(source!.replaceAll('\\/', '/'))
    return (line) => pattern.test(line.text)
  }

  #command(): Command {
    const from = this.#address()
    const hasRange = from !== undefined && /^\s*,/.test(this.#rest)
    if (hasRange) this.#rest = this.#rest.replace(/^\s*,/, '')
    const to = hasRange ? this.#address() : undefined
    this.#rest = this.#rest.replace(/^\s+/, '')
    const name = this.#rest[0] ?? ''
    this.#rest = this.#rest.slice(1)
    const base = { from, to, name, isInRange: false }
    if (name === 's') return { ...base, ...this.#substitution() }
    if (!'dpq'.includes(name) || name === '' || !/^\s*(?:;|\n|$)/.test(this.#rest)) this.#call.refuse()
    return base
  }

  #substitution(): Pick<Command, 'substitute' | 'prints'> {
    const separator = this.#rest[0] ?? this.#call.refuse()
    const part = `((?:[^\\\\${separator === ']' || separator === '^' ? `\\${separator}` : separator}]|\\\\.)*)`
    const mark = separator.replace(/[.*+?^${}()|[\]\\]/, String.raw`\$&`)
    const found = new RegExp(`^${mark}${part}${mark}${part}${mark}([gpI0-9]*)`, 's').exec(this.#rest)
    if (found === null) return this.#call.refuse()
    this.#rest = this.#rest.slice(found[0].length)
    const [, source = '', replacement = '', flags = ''] = found
    if (/\d/.test(flags)) this.#call.refuse()
    const plain =
      separator === '/' ? source.replaceAll('\\/', '/') : source.replaceAll(`\\${separator}`, separator)
    const isIgnoringCase = flags.includes('I')
    const pattern = this.#compile(isIgnoringCase ? `(?i)${plain}` : plain)
    const insert = toReplacement(this.#call, replacement.replaceAll(`\\${separator}`, separator))
    return {
      prints: flags.includes('p'),
      substitute: (line) => replace(line, pattern, insert, flags.includes('g')),
    }
  }
}

/** Groups of the match cannot be inserted. */
const toReplacement = (call: PodProgramCall, text: string): ((match: string) => string) => {
  if (/\\[1-9]/.test(text)) call.refuse()
  const parts = text.match(/\\[\s\S]|&|[^\\&]+/g) ?? []
  return (match) =>
    parts
      .map((part) =>
        part === '&' ? match : part === '\\n' ? '\n' : part === '\\t' ? '\t' : part.replace(/^\\/, ''),
      )
      .join('')
}

const replace = (
  line: Line,
  pattern: LinearPattern,
  insert: (match: string) => string,
  isGlobal: boolean,
): boolean => {
  const { text } = line
  let result = ''
  let done = 0
  let isChanged = false
  for (let at = pattern.find(text); at !== undefined; at = pattern.find(text, done)) {
    const [start, end] = at
    result += text.slice(done, start) + insert(text.slice(start, end))
    done = end
    isChanged = true
    if (!isGlobal) break
    if (end === start) {
      result += text.slice(done, done + 1)
      done += 1
    }
    if (done > text.length || (done === text.length && end > start)) break
  }
  line.text = result + text.slice(done)
  return isChanged
}

const applies = (command: Command, line: Line): boolean => {
  const { from, to } = command
  if (from === undefined) return true
  if (to === undefined) return from(line)
  if (command.isInRange) {
    command.isInRange = !to(line)
    return true
  }
  if (!from(line)) return false
  command.isInRange = true
  return true
}

const edit = (text: string, commands: readonly Command[], isQuiet: boolean): string => {
  let output = ''
  const lines = splitLines(text)
  for (const [index, original] of lines.entries()) {
    const isLast = index === lines.length - 1
    const line: Line = { text: original, number: index + 1, isLast }
    const newline = isLast && !text.endsWith('\n') ? '' : '\n'
    let isDeleted = false
    let isEnd = false
    for (const command of commands) {
      if (!applies(command, line)) continue
      if (command.name === 's' && command.substitute!(line) && command.prints === true)
        output += `${line.text}\n`
      if (command.name === 'p') output += `${line.text}\n`
      if (command.name === 'q') isEnd = true
      if (command.name === 'd') isDeleted = true
      if (isDeleted || isEnd) break
    }
    if (!isDeleted && !isQuiet) output += line.text + newline
    if (isEnd) break
  }
  return output
}

export const sed: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'nEri',
    values: 'e',
    long: { 'in-place': 'i', quiet: 'n' },
  })
  if (call.args.filter((arg) => arg === '-e').length > 1) call.refuse()
  const left = [...operands]
  const script = (options.get('e') as string | undefined) ?? left.shift() ?? call.refuse()
  const parse = () => new Parser(call, script, options.has('E') || options.has('r')).parse()
  const { texts, code } = readInputs(call, left)
  if (!options.has('i')) {
    call.out(edit(texts.map(({ text }) => text).join(''), parse(), options.has('n')))
    return code === 0 ? 0 : 2
  }
  for (const { name, text } of texts) {
    const file = await call.files.open(call.resolve(name), 'replace')
    await writeAll(file, encodeText(edit(text, parse(), options.has('n'))), 0).finally(() => file.close())
  }
  return code === 0 ? 0 : 2
}
