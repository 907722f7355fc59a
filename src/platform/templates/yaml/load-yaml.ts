/** Loads YAML 1.1 as PyYAML's `yaml.safe_load` does. Documents on which parsers might differ are not supported. */
import type { Document, Node, Pair } from 'yaml'
import { yamlLibrary } from '#kit'
import { Dict, isDict } from '../python/dict.ts'
import { Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spend, spendText } from '../work.ts'
import { resolveScalar } from './resolve-scalar.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]|\t/
const MAX_TEXT = 200_000

const STRING_TAG = 'tag:yaml.org,2002:str'

const parseDocuments = (text: string): Document.Parsed[] => {
  spendText(text.length * 8)
  if (text.length > MAX_TEXT) throw new UnsupportedTemplate(`YAML of more than ${MAX_TEXT} characters`)
  if (CONTROL.test(text)) throw new UnsupportedTemplate('tabs and control characters in YAML')
  if (/^%/m.test(text)) throw new UnsupportedTemplate('directives in YAML')
  const documents = yamlLibrary().parseAllDocuments(text, {
    version: '1.1',
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
  })
  const list = Array.isArray(documents) ? (documents as Document.Parsed[]) : []
  for (const { errors, warnings } of list)
    if (errors.length + warnings.length > 0) throw new UnsupportedTemplate('YAML with errors')
  return list
}

class Constructor {
  readonly #document: Document.Parsed
  readonly #known = new Map<Node, unknown>()

  constructor(document: Document.Parsed) {
    this.#document = document
  }

  construct(node: Node | null | undefined, depth: number): unknown {
    spend(1)
    checkDepth(depth)
    if (node === null || node === undefined) return null
    const { isAlias, isMap, isScalar, isSeq } = yamlLibrary()
    if (isAlias(node)) {
      const target = node.resolve(this.#document)
      if (target === undefined || !this.#known.has(target))
        throw new UnsupportedTemplate('this alias in YAML')
      return this.#known.get(target)
    }
    const value = isScalar(node)
      ? this.#scalar(node as { source?: string; value: unknown; type?: string; tag?: string })
      : isMap(node)
        ? this.#map(node.items as Pair<Node, Node | null>[], depth)
        : isSeq(node)
          ? node.items.map((item) => this.construct(item as Node, depth + 1))
          : undefined
    if (!isScalar(node) && node.tag !== undefined && !/^tag:yaml\.org,2002:(?:map|seq)$/.test(node.tag))
      throw new UnsupportedTemplate(`the tag ${node.tag} in YAML`)
    this.#known.set(node, value)
    return value
  }

  #scalar({ value, type, tag }: { value: unknown; type?: string; tag?: string }): unknown {
    if (tag !== undefined && tag !== STRING_TAG) throw new UnsupportedTemplate(`the tag ${tag} in YAML`)
    const text = value === null ? '' : String(value)
    return type === 'PLAIN' && tag === undefined ? resolveScalar(text) : text
  }

  #map(pairs: readonly Pair<Node, Node | null>[], depth: number): Dict {
    const { isScalar } = yamlLibrary()
    const isMerge = ({ key }: Pair<Node, Node | null>): boolean =>
      isScalar(key) && key.value === '<<' && key.type === 'PLAIN'
    const merged = pairs
      .filter(isMerge)
      .flatMap(({ value }) => this.#merged(this.construct(value, depth + 1)))
    const own = pairs
      .filter((pair) => !isMerge(pair))
      .map(({ key, value }) => [this.#key(key, depth), this.construct(value, depth + 1)] as const)
    return Dict.of([...merged, ...own])
  }

  #merged(value: unknown): [unknown, unknown][] {
    if (value instanceof Dict) return value.entries()
    if (!Array.isArray(value) || !value.every((item) => item instanceof Dict))
      throw new UnsupportedTemplate('this merge key in YAML')
    // Earlier dictionaries take precedence.
    return value.toReversed().flatMap((dict) => dict.entries())
  }

  #key(node: Node, depth: number): unknown {
    const key = this.construct(node, depth + 1)
    if (Array.isArray(key) || isDict(key) || key instanceof Tuple)
      throw new UnsupportedTemplate('lists and dictionaries as keys in YAML')
    return key
  }
}

const constructDocument = (document: Document.Parsed): unknown =>
  new Constructor(document).construct(document.contents as Node | null, 0)

/** Loads all documents of a stream. */
export const loadYamlDocuments = (text: string): unknown[] => parseDocuments(text).map(constructDocument)

/** Loads one document; the result for an empty string is None. */
export const loadYaml = (text: string): unknown => {
  const documents = parseDocuments(text)
  if (documents.length > 1) throw new UnsupportedTemplate('from_yaml of several documents')
  return documents.length === 0 ? null : constructDocument(documents[0]!)
}
