/** Reads YAML as Ansible does (PyYAML with YAML 1.1), and keeps the positions of maps for messages. */
import { findYamlExcess, type YamlBounds, yamlLibrary } from '#kit'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { resolvePlainScalar } from './plain-scalar.ts'

export interface YamlPosition {
  /** Both count from 1. */
  readonly line: number
  readonly column: number
}

/** A mistake in the text. The message is not PyYAML's: its wording cannot be derived from another parser. */
export class YamlMistake extends Error {
  readonly position: YamlPosition

  constructor(message: string, position: YamlPosition) {
    super(message)
    this.position = position
  }
}

const BOUNDS: YamlBounds = {
  values: 50_000,
  characters: 2 ** 20,
  depth: 64,
  valuesInKey: 50,
  aliases: 200,
}

/** The maximum length of a playbook of an agent. */
const MAX_CHARACTERS = 256 * 2 ** 10

const STANDARD_TAG = /^(?:!!|tag:yaml\.org,2002:)/

type Library = ReturnType<typeof yamlLibrary>

interface ReadState {
  readonly library: Library
  readonly document: ReturnType<Library['parseDocument']>
  readonly positions: WeakMap<object, YamlPosition>
  positionOf(node: { range?: readonly number[] | null | undefined }): YamlPosition
}

const scalarValue = (state: ReadState, node: any): unknown => {
  const tag: string | undefined = node.tag?.replace(STANDARD_TAG, '')
  const text = typeof node.value === 'string' ? node.value : ''
  if (tag === undefined || tag === '!')
    return node.type === 'PLAIN' && tag === undefined ? resolvePlainScalar(text) : text
  if (tag === 'str') return text
  if (['int', 'float', 'bool', 'null'].includes(tag) && STANDARD_TAG.test(node.tag))
    return resolvePlainScalar(text)
  const { line } = state.positionOf(node)
  throw new UnsupportedPlaybook(`the YAML tag ${node.tag} in line ${line}`)
}

const keyOf = (state: ReadState, node: any): string => {
  const { isMap, isSeq } = state.library
  if (isMap(node) || isSeq(node)) throw new YamlMistake('found unhashable key', state.positionOf(node))
  const value = toValue(state, node)
  return value === null ? 'null' : String(value)
}

/** The maps that a merge key merges, in descending order of precedence. */
const mergedMaps = (state: ReadState, value: unknown, node: any): Record<string, unknown>[] => {
  const maps = Array.isArray(value) ? value : [value]
  if (maps.some((each) => typeof each !== 'object' || each === null || Array.isArray(each)))
    throw new YamlMistake('expected a mapping or list of mappings for merging', state.positionOf(node))
  return maps as Record<string, unknown>[]
}

const mapValue = (state: ReadState, node: any): Record<string, unknown> => {
  const own: [string, unknown][] = []
  const merged: Record<string, unknown>[] = []
  for (const { key, value } of node.items) {
    const member = toValue(state, value)
    if (key?.type === 'PLAIN' && key.value === '<<') merged.push(...mergedMaps(state, member, value))
    else own.push([keyOf(state, key), member])
  }
  const result: Record<string, unknown> = {}
  for (const map of merged.toReversed()) Object.assign(result, map)
  for (const [key, member] of own)
    Object.defineProperty(result, key, {
      value: member,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  state.positions.set(result, state.positionOf(node))
  return result
}

const toValue = (state: ReadState, node: any): unknown => {
  const { isAlias, isMap, isSeq, isScalar } = state.library
  if (node === null || node === undefined) return null
  if (isAlias(node)) return toValue(state, node.resolve(state.document))
  if (isMap(node)) return mapValue(state, node)
  if (isSeq(node)) return node.items.map((item) => toValue(state, item))
  return isScalar(node) ? scalarValue(state, node) : null
}

export interface AnsibleYaml {
  readonly documents: readonly unknown[]
  /** The position of a map that was read. */
  positionOf(map: object): YamlPosition | undefined
}

const readBounded = (text: string): AnsibleYaml => {
  const library = yamlLibrary()
  const lines = new library.LineCounter()
  const parsed = library.parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: '1.1',
    schema: 'failsafe',
    uniqueKeys: false,
    logLevel: 'error',
    keepSourceTokens: false,
  })
  const documents = Array.isArray(parsed) ? parsed : []
  const positions = new WeakMap<object, YamlPosition>()
  const toPosition = (offset: number): YamlPosition => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const values = documents.map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new YamlMistake(error.message.split('\n')[0]!, toPosition(error.pos[0]))
    if (findYamlExcess(document.contents, BOUNDS) !== undefined)
      throw new UnsupportedPlaybook('YAML with too many or too deeply nested values')
    const state: ReadState = {
      library,
      document: document as ReadState['document'],
      positions,
      positionOf: ({ range }) => toPosition(range?.[0] ?? 0),
    }
    return toValue(state, document.contents)
  })
  return { documents: values, positionOf: (map) => positions.get(map) }
}

/** Characters that PyYAML does not accept anywhere. */
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}\ufeff]/u

const TOO_LARGE = 'YAML that is too large or nested too deeply'

/** Throws a YamlMistake for an invalid text, and UnsupportedPlaybook for values that the interpreter cannot represent. */
export const readAnsibleYaml = (text: string): AnsibleYaml => {
  if (text.length > MAX_CHARACTERS) throw new UnsupportedPlaybook(TOO_LARGE)
  const forbidden = FORBIDDEN.exec(text)
  if (forbidden !== null) {
    const code = forbidden[0].codePointAt(0)!.toString(16).padStart(4, '0')
    throw new YamlMistake(`unacceptable character #x${code}: special characters are not allowed`, {
      line: 1,
      column: 1,
    })
  }
  try {
    return readBounded(text)
  } catch (error) {
    throw error instanceof RangeError ? new UnsupportedPlaybook(TOO_LARGE) : error
  }
}
