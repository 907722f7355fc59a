/** Parses one source file for the room rules: imports, sizes, and uses of clocks, random numbers and keys. */
import { readFileSync } from 'node:fs'
import { join as joinNative } from 'node:path'
import { dirname, join } from 'node:path/posix'
import { parseSync, Visitor } from 'oxc-parser'

export interface Import {
  /** As written in the source, such as `./clock.ts` or `#kit`. */
  readonly specifier: string
  /** The path of the imported file from the root of the repository. */
  readonly target: string
  readonly line: number
}

export interface FunctionSize {
  readonly name: string
  readonly line: number
  readonly lines: number
  /** Without those of a callback: the function that is called with it determines them. */
  readonly parameters: number
}

export interface Use {
  readonly what: string
  readonly line: number
}

export interface Source {
  readonly file: string
  readonly lines: number
  readonly imports: readonly Import[]
  readonly functions: readonly FunctionSize[]
  /** Uses of the operating system's clock, timers and random numbers. */
  readonly impurities: readonly Use[]
  /** Uses of functions that create keys and tokens. */
  readonly secrets: readonly Use[]
}

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate'])
const IMPURE_METHODS = new Set(['Date.now', 'performance.now', 'Math.random'])
const TIMER_MODULES = /^(node:)?(timers|timers\/promises)$/
const SECRET_FUNCTIONS = /^(random|generateKey|generatePrime|getRandomValues|subtle$|webcrypto$)/
const CRYPTO_MODULES = /^(node:)?crypto$/
const GLOBALS = new Set(['globalThis', 'global'])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const nameOf = (node: Node): string | undefined =>
  node.type === 'Identifier' ? (node as Node & { name: string }).name : undefined

const textOf = (node: Node): string | undefined => {
  const value = node.type === 'Literal' ? (node as Node & { value: unknown }).value : undefined
  return typeof value === 'string' ? value : undefined
}

/** Collects imports, functions and uses with their positions. Property names that look like a timer do not count. */
const visitTree = (file: string, text: string) => {
  const specifiers: { specifier: string; start: number }[] = []
  const impurities: { what: string; start: number }[] = []
  const secrets: { what: string; start: number }[] = []
  const functions: { name: string; start: number; end: number; parameters: number }[] = []
  const propertyNames = new Set<object>()
  const names = new Map<object, string>()
  const callArguments = new Set<object>()
  const addFunction = (node: Node & { id?: Node | null; params: readonly object[] }): void => {
    const name = (node.id ? nameOf(node.id) : undefined) ?? names.get(node) ?? 'a function'
    const parameters = callArguments.has(node) ? 0 : node.params.length
    functions.push({ name, start: node.start, end: node.end, parameters })
  }
  const addImport = (node: Node | null): void => {
    const specifier = node === null ? undefined : textOf(node)
    if (node === null || specifier === undefined) return
    specifiers.push({ specifier, start: node.start })
    if (TIMER_MODULES.test(specifier)) impurities.push({ what: specifier, start: node.start })
  }
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  new Visitor({
    ImportDeclaration(node) {
      addImport(node.source)
      if (!CRYPTO_MODULES.test(node.source.value)) return
      for (const imported of node.specifiers) {
        const name = imported.type === 'ImportSpecifier' ? nameOf(imported.imported) : undefined
        if (name !== undefined && SECRET_FUNCTIONS.test(name))
          secrets.push({ what: name, start: imported.start })
      }
    },
    VariableDeclarator(node) {
      const name = nameOf(node.id)
      if (name !== undefined && node.init !== null) names.set(node.init, name)
    },
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    ExportNamedDeclaration: (node) => addImport(node.source),
    ExportAllDeclaration: (node) => addImport(node.source),
    ImportExpression: (node) => addImport(node.source),
    TSImportType: (node) => addImport(node.source),
    NewExpression(node) {
      for (const argument of node.arguments) callArguments.add(argument)
      if (nameOf(node.callee) === 'Date' && node.arguments.length === 0) {
        impurities.push({ what: 'new Date()', start: node.start })
      }
    },
    CallExpression(node) {
      for (const argument of node.arguments) callArguments.add(argument)
      if (nameOf(node.callee) === 'Date') impurities.push({ what: 'Date()', start: node.start })
    },
    MemberExpression(node) {
      if (node.computed) return
      const owner = nameOf(node.object)
      const what = `${owner}.${nameOf(node.property)}`
      if (IMPURE_METHODS.has(what)) impurities.push({ what, start: node.start })
      if (owner === 'crypto' && SECRET_FUNCTIONS.test(nameOf(node.property) ?? '')) {
        secrets.push({ what, start: node.start })
      }
      if (owner === undefined || !GLOBALS.has(owner)) propertyNames.add(node.property)
    },
    Property(node) {
      if (!node.computed) propertyNames.add(node.key)
    },
    MethodDefinition: (node) => void propertyNames.add(node.key),
    PropertyDefinition: (node) => void propertyNames.add(node.key),
    TSPropertySignature: (node) => void propertyNames.add(node.key),
    TSMethodSignature: (node) => void propertyNames.add(node.key),
    Identifier(node) {
      if (TIMERS.has(node.name) && !propertyNames.has(node))
        impurities.push({ what: node.name, start: node.start })
    },
  }).visit(program)
  return { specifiers, functions, impurities, secrets }
}

/** Rooms outside `src` that have a name in `imports` of package.json. */
const NAMED_ROOMS: readonly string[] = ['bench']

/** The file behind a specifier; undefined for packages and Node's modules. */
const targetOf = (file: string, specifier: string): string | undefined => {
  const room = specifier.slice(1)
  if (specifier.startsWith('#'))
    return NAMED_ROOMS.includes(room) ? `${room}/index.ts` : `src/${room}/index.ts`
  return specifier.startsWith('.') ? join(dirname(file), specifier) : undefined
}

/** `file` is the path from `root`, with forward slashes. */
export const parseSource = (root: string, file: string): Source => {
  const text = readFileSync(joinNative(root, file), 'utf8')
  const lineAt = (start: number): number => text.slice(0, start).split('\n').length
  const toUse = ({ what, start }: { what: string; start: number }): Use => ({ what, line: lineAt(start) })
  const { specifiers, functions, impurities, secrets } = visitTree(file, text)
  return {
    file,
    lines: text.replace(/\n$/, '').split('\n').length,
    imports: specifiers.flatMap(({ specifier, start }) => {
      const target = targetOf(file, specifier)
      return target === undefined ? [] : [{ specifier, target, line: lineAt(start) }]
    }),
    functions: functions.map(({ name, start, end, parameters }) => {
      const line = lineAt(start)
      return { name, line, lines: lineAt(end) - line + 1, parameters }
    }),
    impurities: impurities.map(toUse),
    secrets: secrets.map(toUse),
  }
}
