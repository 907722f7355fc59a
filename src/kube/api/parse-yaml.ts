/** YAML bodies as the server's own parser reads them: YAML 1.1, and nothing that JSON cannot hold. */
import { yamlLibrary } from '../../kit/index.ts'

/** Types that go beyond JSON: the server takes their text for what it is. */
const FOREIGN = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:set',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
])

/** A document that grows beyond measure when its aliases are followed is an attack. */
const MAX_ALIASES = 100

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

const reasonOf = (error: unknown): string => {
  if (error instanceof RangeError || String(error).includes('call stack'))
    return 'exceeded max depth of 10000'
  const text = error instanceof Error ? error.message : String(error)
  if (text.startsWith('Excessive alias count')) return 'document contains excessive aliasing'
  const line = / at line (\d+), column \d+/.exec(text)?.[1]
  const what = text.split('\n', 1)[0]!.replace(/ at line \d+, column \d+.*$/, '')
  return line === undefined ? what : `line ${line}: ${what}`
}

/** The first document; throws an Error whose message begins with `yaml: `. */
export const parseYaml = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // YAML that is not JSON too
  }
  try {
    checkSize(text)
    const [document] = yamlLibrary().parseAllDocuments(text, {
      // Go's YAML reads the words of YAML 1.1 (yes, on, 0777) the old way, and so must we.
      version: '1.1',
      logLevel: 'silent',
      customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !FOREIGN.has(tag.tag)),
    }) as { errors?: Error[]; toJS?(options: object): unknown }[]
    if (document?.toJS === undefined) return null
    const [fault] = document.errors ?? []
    if (fault !== undefined) throw fault
    return toJson(document.toJS({ maxAliasCount: MAX_ALIASES }))
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
