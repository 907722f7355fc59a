/**
 * Evaluates a statement of the MongoDB shell without running JavaScript, because statements come from agents and this process is
 * the laboratory: literals, names of the shell, and calls of their methods.
 */
import { UnsupportedCommand } from '#spec'
import { findShellMember, type ShellGlobals } from '#world/twin/tool-cores'
import { readShellTokens, type ShellToken } from './read-shell-tokens.ts'

const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  undefined,
}

type Callable = (...values: unknown[]) => unknown

class ShellExpression {
  readonly #tokens: readonly ShellToken[]
  readonly #globals: ShellGlobals
  readonly #now: () => number
  #at = 0

  constructor(statement: string, globals: ShellGlobals, now: () => number) {
    this.#tokens = readShellTokens(statement)
    this.#globals = globals
    this.#now = now
  }

  evaluate(): unknown {
    const value = this.#readValue()
    if (this.#next().kind !== 'end') throw this.#refuse()
    return value
  }

  #next(): ShellToken {
    return this.#tokens[this.#at++] ?? { kind: 'end', text: '' }
  }

  /** Refuses the token that was read last. */
  #refuse(): UnsupportedCommand {
    const { text } = this.#tokens[this.#at - 1] ?? { text: '' }
    return new UnsupportedCommand(`"${text}" at this place in the MongoDB shell`)
  }

  #takes(sign: string): boolean {
    const { kind, text } = this.#tokens[this.#at]!
    if (kind !== 'sign' || text !== sign) return false
    this.#at += 1
    return true
  }

  #expect(sign: string): void {
    const { kind, text } = this.#next()
    if (kind !== 'sign' || text !== sign) throw this.#refuse()
  }

  #readValue(): unknown {
    let value = this.#readPrimary()
    let owner: unknown
    for (;;)
      if (this.#takes('.')) {
        const { kind, text } = this.#next()
        if (kind !== 'name') throw this.#refuse()
        owner = value
        value = findShellMember(owner, text)
        if (value === undefined) throw this.#refuse()
      } else if (this.#takes('(')) {
        if (typeof value !== 'function') throw this.#refuse()
        value = (value as Callable).apply(owner, this.#readList(')'))
      } else break
    // A real shell prints the source of a function.
    if (typeof value === 'function') throw this.#refuse()
    return value
  }

  #readPrimary(): unknown {
    const { kind, text } = this.#next()
    if (kind === 'text') return text
    if (kind === 'number') return Number(text)
    if (kind === 'name') return this.#readName(text)
    if (kind === 'sign' && text === '[') return this.#readList(']')
    if (kind === 'sign' && text === '{') return this.#readObject()
    const { kind: following, text: digits } = this.#next()
    if (text !== '-' || following !== 'number') throw this.#refuse()
    return -Number(digits)
  }

  #readName(name: string): unknown {
    const { db, functions } = this.#globals
    if (name === 'db') return db
    if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name]
    if (Object.hasOwn(functions, name)) return functions[name]
    if (name !== 'new' || this.#next().text !== 'Date') throw this.#refuse()
    this.#expect('(')
    const [time = this.#now(), ...others] = this.#readList(')')
    if ((typeof time !== 'number' && typeof time !== 'string') || others.length > 0) throw this.#refuse()
    return new Date(time)
  }

  /** The values up to the closing sign; a comma can follow the last one. */
  #readList(close: string): unknown[] {
    const values: unknown[] = []
    while (!this.#takes(close)) {
      values.push(this.#readValue())
      if (this.#takes(close)) break
      this.#expect(',')
    }
    return values
  }

  #readObject(): Record<string, unknown> {
    const members: Record<string, unknown> = {}
    while (!this.#takes('}')) {
      const { kind, text } = this.#next()
      if (kind === 'sign' || kind === 'end' || text === '__proto__') throw this.#refuse()
      this.#expect(':')
      members[text] = this.#readValue()
      if (this.#takes('}')) break
      this.#expect(',')
    }
    return members
  }
}

/** Throws an `UnsupportedCommand` for everything else in JavaScript, and the errors of the methods. */
export const evaluateShellStatement = (
  statement: string,
  globals: ShellGlobals,
  now: () => number,
): unknown => new ShellExpression(statement, globals, now).evaluate()
