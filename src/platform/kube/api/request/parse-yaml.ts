/** Parses YAML bodies as a real server does: YAML 1.1, limited to JSON values. */
import type { Document, LineCounter } from 'yaml'
import { findYamlExcess, type YamlBounds, type YamlExcess, yamlLibrary } from '#kit'
import { findDuplicateFields } from '#platform/kube/schema'

/** Types without a JSON equivalent; the server keeps their text as a string. */
const NON_JSON_TAGS = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:set',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
])

/** Parsing more tokens would block the event loop for seconds. */
const MAX_LEXEMES = 200_000
const MAX_UNCHECKED_CHARACTERS = 100_000

const checkSize = (text: string): void => {
  if (text.length < MAX_UNCHECKED_CHARACTERS) return
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

/** Rejects documents that grow too large when aliases are expanded. `parse-body.ts` limits depth further. */
const BOUNDS: YamlBounds = {
  values: MAX_LEXEMES,
  characters: 4 * 2 ** 20,
  depth: 1000,
  valuesInKey: 1,
  aliases: 1000,
}

const excessMessage = (excess: YamlExcess): string => {
  if (excess.kind === 'unknown') return `unknown anchor '${excess.name}' referenced`
  if (excess.kind === 'cycle') return `anchor '${excess.name}' value contains itself`
  if (excess.kind === 'key') return 'invalid map key'
  return excess.kind === 'depth' ? TOO_DEEP : 'document contains excessive aliasing'
}

export interface ParsedYaml {
  value: unknown
  /** One message for each duplicate key, in the words of Go's strict parser. */
  repeated: readonly string[]
}

type Yaml = ReturnType<typeof yamlLibrary>

/** Reports duplicates in the order of Go's parser: those inside a value come before a duplicate of its key. */
const findRepeatedKeys = (yaml: Yaml, root: unknown, lineOf: (offset: number) => number): string[] => {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (yaml.isSeq(node)) for (const item of node.items) visit(item)
    if (!yaml.isMap(node)) return
    const seen = new Set<unknown>()
    for (const { key, value } of node.items) {
      visit(value)
      if (!yaml.isScalar(key) || key.value === '<<') continue
      const name = typeof key.value === 'string' ? JSON.stringify(key.value) : String(key.value)
      // Go reports the line of the value, not of the key.
      const range = (yaml.isNode(value) ? value.range : undefined) ?? key.range
      if (seen.has(key.value)) found.push(`line ${lineOf(range?.[0] ?? 0)}: key ${name} already set in map`)
      seen.add(key.value)
    }
  }
  visit(root)
  return found
}

/** Fast path for JSON text; returns undefined for duplicate keys, whose line numbers need the YAML parser. */
const parsePlainJson = (text: string): ParsedYaml | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return findDuplicateFields(text).length === 0 ? { value, repeated: [] } : undefined
  } catch {
    return undefined
  }
}

/** Parses the first document; the rest of the text is ignored. */
const parseFirstDocument = (yaml: Yaml, text: string, lineCounter: LineCounter): Document | undefined => {
  const composer = new yaml.Composer({
    // Go's parser reads YAML 1.1 scalars such as yes, on and 0777 as booleans and octal numbers.
    version: '1.1',
    logLevel: 'silent',
    uniqueKeys: false,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !NON_JSON_TAGS.has(tag.tag)),
  })
  const [document] = composer.compose(new yaml.Parser(lineCounter.addNewLine).parse(text))
  return document
}

/** Parses the first document; the last duplicate key wins. Throws an Error whose message starts with `yaml: `. */
export const parseYaml = (text: string): ParsedYaml => {
  const plain = parsePlainJson(text)
  if (plain !== undefined) return plain
  try {
    checkSize(text)
    const yaml = yamlLibrary()
    const lineCounter = new yaml.LineCounter()
    const lineOf = (offset: number): number => lineCounter.linePos(offset).line
    const document = parseFirstDocument(yaml, text, lineCounter)
    if (document === undefined) return { value: null, repeated: [] }
    const [parseError] = document.errors
    if (parseError !== undefined)
      throw parseError.message.includes('call stack')
        ? parseError
        : new Error(`line ${lineOf(parseError.pos[0])}: ${parseError.message}`)
    const excess = findYamlExcess(document.contents, BOUNDS)
    if (excess !== undefined) throw new Error(excessMessage(excess))
    return {
      value: toJson(document.toJS({ maxAliasCount: -1 })),
      repeated: findRepeatedKeys(yaml, document.contents, lineOf),
    }
  } catch (error) {
    throw new Error(`yaml: ${reasonOf(error)}`)
  }
}

/** Converts to JSON values; changes maps in place. Throws for NaN and infinity, which JSON does not have. */
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
