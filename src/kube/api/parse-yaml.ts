/** YAML bodies as the server's own parser reads them: YAML 1.1, and nothing that JSON cannot hold. */
import type { Document, LineCounter } from 'yaml'
import { findYamlExcess, type YamlBounds, type YamlExcess, yamlLibrary } from '../../kit/index.ts'
import { findDuplicateFields } from '../schema/index.ts'

/** Types that go beyond JSON: the server takes their text for what it is. */
const FOREIGN = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:set',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
])

/** Words and marks; with more of them the parser would hold everybody up for seconds. */
const MAX_LEXEMES = 200_000
const SURELY_SMALL = 100_000

const checkSize = (text: string): void => {
  if (text.length < SURELY_SMALL) return
  let count = 0
  for (const _ of new (yamlLibrary().Lexer)().lex(text)) {
    count += 1
    if (count > MAX_LEXEMES) throw new Error('document is too complex')
  }
}

const TOO_DEEP = 'exceeded max depth of 10000'

const reasonOf = (error: unknown): string => {
  if (error instanceof RangeError || String(error).includes('call stack')) return TOO_DEEP
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n', 1)[0]!
}

/** A document that grows beyond measure when its aliases are followed is an attack; whoever is deeper is refused later, in other words. */
const BOUNDS: YamlBounds = {
  values: MAX_LEXEMES,
  letters: 4 * 2 ** 20,
  depth: 1000,
  valuesInKey: 1,
  references: 1000,
}

const excessText = (excess: YamlExcess): string => {
  if (excess.what === 'unknown') return `unknown anchor '${excess.name}' referenced`
  if (excess.what === 'cycle') return `anchor '${excess.name}' value contains itself`
  if (excess.what === 'key') return 'invalid map key'
  return excess.what === 'depth' ? TOO_DEEP : 'document contains excessive aliasing'
}

export interface ParsedYaml {
  value: unknown
  /** One text for each key that a map has once more, as Go's strict parser puts it. */
  repeated: readonly string[]
}

type Yaml = ReturnType<typeof yamlLibrary>

/** In the order in which Go comes upon them: what lies within a value before its own key. */
const repeatedKeys = (yaml: Yaml, root: unknown, lineOf: (offset: number) => number): string[] => {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (yaml.isSeq(node)) for (const item of node.items) visit(item)
    if (!yaml.isMap(node)) return
    const seen = new Set<unknown>()
    for (const { key, value } of node.items) {
      visit(value)
      if (!yaml.isScalar(key) || key.value === '<<') continue
      const name = typeof key.value === 'string' ? JSON.stringify(key.value) : String(key.value)
      // Go gives the line on which the value begins.
      const place = (yaml.isNode(value) ? value.range : undefined) ?? key.range
      if (seen.has(key.value)) found.push(`line ${lineOf(place?.[0] ?? 0)}: key ${name} already set in map`)
      seen.add(key.value)
    }
  }
  visit(root)
  return found
}

/** JSON is YAML too, and far faster to read; only with a key given twice must the lines be counted. */
const parsePlainJson = (text: string): ParsedYaml | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return findDuplicateFields(text).length === 0 ? { value, repeated: [] } : undefined
  } catch {
    return undefined
  }
}

/** The first document; what follows is not even read. */
const firstDocument = (yaml: Yaml, text: string, lineCounter: LineCounter): Document | undefined => {
  const composer = new yaml.Composer({
    // Go's YAML reads the words of YAML 1.1 (yes, on, 0777) the old way, and so must we.
    version: '1.1',
    logLevel: 'silent',
    uniqueKeys: false,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !FOREIGN.has(tag.tag)),
  })
  const [document] = composer.compose(new yaml.Parser(lineCounter.addNewLine).parse(text))
  return document
}

/** The first document, of which a key given twice holds what it was given last; throws an Error whose message begins with `yaml: `. */
export const parseYaml = (text: string): ParsedYaml => {
  const plain = parsePlainJson(text)
  if (plain !== undefined) return plain
  try {
    checkSize(text)
    const yaml = yamlLibrary()
    const lineCounter = new yaml.LineCounter()
    const lineOf = (offset: number): number => lineCounter.linePos(offset).line
    const document = firstDocument(yaml, text, lineCounter)
    if (document === undefined) return { value: null, repeated: [] }
    const [fault] = document.errors
    if (fault !== undefined)
      throw fault.message.includes('call stack')
        ? fault
        : new Error(`line ${lineOf(fault.pos[0])}: ${fault.message}`)
    const excess = findYamlExcess(document.contents, BOUNDS)
    if (excess !== undefined) throw new Error(excessText(excess))
    return {
      value: toJson(document.toJS({ maxAliasCount: -1 })),
      repeated: repeatedKeys(yaml, document.contents, lineOf),
    }
  } catch (error) {
    throw new Error(`yaml: ${reasonOf(error)}`)
  }
}

/** Numbers that are none have no place in JSON; whatever else is strange becomes text. */
const toJson = (value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`json: unsupported value: ${value}`)
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (Array.isArray(value)) return value.map(toJson)
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    const converted = toJson(member)
    if (converted !== member)
      Object.defineProperty(value, key, {
        value: converted,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return value
}
