/** Reads from one source file what the room rules look at: its imports, its length, its use of time, dice and keys. */
import { readFileSync } from 'node:fs'
import { join as joinNative } from 'node:path'
import { dirname, join } from 'node:path/posix'
import { parseSync, Visitor } from 'oxc-parser'

export interface Import {
  /** Path from the root of the repository. */
  readonly target: string
  readonly line: number
}

export interface Use {
  readonly what: string
  readonly line: number
}

export interface Source {
  readonly file: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Uses of the operating system's clock, timers and dice. */
  readonly impurities: readonly Use[]
  /** Uses of what makes keys and tokens. */
  readonly secrets: readonly Use[]
}

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate'])
const METHODS = new Set(['Date.now', 'performance.now', 'Math.random'])
const TIMER_MODULES = /^(node:)?(timers|timers\/promises)$/
const SECRETS = /^(random|generateKey|generatePrime|getRandomValues|subtle$|webcrypto$)/
const CRYPTO_MODULES = /^(node:)?crypto$/
const GLOBALS = new Set(['globalThis', 'global'])

interface Node {
  readonly type: string
  readonly start: number
}

const nameOf = (node: Node): string | undefined =>
  node.type === 'Identifier' ? (node as Node & { name: string }).name : undefined

const textOf = (node: Node): string | undefined => {
  const value = node.type === 'Literal' ? (node as Node & { value: unknown }).value : undefined
  return typeof value === 'string' ? value : undefined
}

/** What the tree holds, by position in the text; property names that merely look like a timer do not count. */
const walk = (file: string, text: string) => {
  const specifiers: { specifier: string; start: number }[] = []
  const impurities: { what: string; start: number }[] = []
  const secrets: { what: string; start: number }[] = []
  const harmless = new Set<object>()
  const note = (node: Node | null): void => {
    const specifier = node === null ? undefined : textOf(node)
    if (node === null || specifier === undefined) return
    specifiers.push({ specifier, start: node.start })
    if (TIMER_MODULES.test(specifier)) impurities.push({ what: specifier, start: node.start })
  }
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  new Visitor({
    ImportDeclaration(node) {
      note(node.source)
      if (!CRYPTO_MODULES.test(node.source.value)) return
      for (const one of node.specifiers) {
        const name = one.type === 'ImportSpecifier' ? nameOf(one.imported) : undefined
        if (name !== undefined && SECRETS.test(name)) secrets.push({ what: name, start: one.start })
      }
    },
    ExportNamedDeclaration: (node) => note(node.source),
    ExportAllDeclaration: (node) => note(node.source),
    ImportExpression: (node) => note(node.source),
    TSImportType: (node) => note(node.source),
    NewExpression(node) {
      if (nameOf(node.callee) === 'Date' && node.arguments.length === 0) {
        impurities.push({ what: 'new Date()', start: node.start })
      }
    },
    CallExpression(node) {
      if (nameOf(node.callee) === 'Date') impurities.push({ what: 'Date()', start: node.start })
    },
    MemberExpression(node) {
      if (node.computed) return
      const owner = nameOf(node.object)
      const what = `${owner}.${nameOf(node.property)}`
      if (METHODS.has(what)) impurities.push({ what, start: node.start })
      if (owner === 'crypto' && SECRETS.test(nameOf(node.property) ?? '')) {
        secrets.push({ what, start: node.start })
      }
      if (owner === undefined || !GLOBALS.has(owner)) harmless.add(node.property)
    },
    Property(node) {
      if (!node.computed) harmless.add(node.key)
    },
    MethodDefinition: (node) => void harmless.add(node.key),
    PropertyDefinition: (node) => void harmless.add(node.key),
    TSPropertySignature: (node) => void harmless.add(node.key),
    TSMethodSignature: (node) => void harmless.add(node.key),
    Identifier(node) {
      if (TIMERS.has(node.name) && !harmless.has(node))
        impurities.push({ what: node.name, start: node.start })
    },
  }).visit(program)
  return { specifiers, impurities, secrets }
}

/** Reads a file, given by its path from the root with forward slashes. */
export const parseSource = (root: string, file: string): Source => {
  const text = readFileSync(joinNative(root, file), 'utf8')
  const lineAt = (start: number): number => text.slice(0, start).split('\n').length
  const locate = ({ what, start }: { what: string; start: number }): Use => ({ what, line: lineAt(start) })
  const { specifiers, impurities, secrets } = walk(file, text)
  return {
    file,
    lines: text.replace(/\n$/, '').split('\n').length,
    imports: specifiers
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier, start }) => ({ target: join(dirname(file), specifier), line: lineAt(start) })),
    impurities: impurities.map(locate),
    secrets: secrets.map(locate),
  }
}
