/** Parses the script of sed. */
import type { LinearPattern } from '#kit'
import type { PodProgramCall } from '../pod-program.ts'
import { compileExpression, fromBasic } from './regular-expression.ts'
import type { SedAddress, SedCommand } from './sed-command.ts'
import { substituteInLine, toReplacement } from './substitute-in-line.ts'

const ADDRESS = /^\s*(?:(\d+)|(\$)|\/((?:[^/\\]|\\.)*)\/)/

class SedParser {
  #rest: string
  readonly #call: PodProgramCall
  readonly #isExtended: boolean

  constructor(call: PodProgramCall, script: string, isExtended: boolean) {
    this.#call = call
    this.#rest = script
    this.#isExtended = isExtended
  }

  parse(): SedCommand[] {
    const commands: SedCommand[] = []
    for (;;) {
      this.#rest = this.#rest.replace(/^[\s;]+/, '')
      if (this.#rest === '') return commands
      commands.push(this.#command())
    }
  }

  #compile(source: string): LinearPattern {
    return compileExpression(this.#call, this.#isExtended ? source : fromBasic(source))
  }

  #address(): SedAddress | undefined {
    const found = ADDRESS.exec(this.#rest)
    if (found === null) return undefined
    this.#rest = this.#rest.slice(found[0].length)
    const [, number, last, source] = found
    if (number !== undefined) return (line) => line.number === Number(number)
    if (last !== undefined) return (line) => line.isLast
    const pattern = this.#compile(source!.replaceAll('\\/', '/'))
    return (line) => pattern.test(line.text)
  }

  #command(): SedCommand {
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

  #substitution(): Pick<SedCommand, 'substitute' | 'prints'> {
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
      substitute: (line) => substituteInLine(line, pattern, insert, flags.includes('g')),
    }
  }
}

export const parseSedScript = (call: PodProgramCall, script: string, isExtended: boolean): SedCommand[] =>
  new SedParser(call, script, isExtended).parse()
