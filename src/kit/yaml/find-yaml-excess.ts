/** Checks whether untrusted YAML would exceed bounds once its aliases are expanded, without expanding them. */
import type { Node, Pair } from 'yaml'
import { yamlLibrary } from './yaml-library.ts'

/** Upper limits. Each alias counts as the content that it refers to. */
export interface YamlBounds {
  readonly values: number
  /** Total length of all strings. */
  readonly characters: number
  /** Nesting depth of lists and maps. */
  readonly depth: number
  /** Values in a key that is itself a list or a map: the library converts such a key to text at every level. */
  readonly valuesInKey: number
  /** Number of aliases. The library searches the document to resolve each one. */
  readonly aliases: number
}

/** The limit that was exceeded, or the alias that is invalid. */
export type YamlExcess =
  | { readonly kind: 'size' | 'depth' | 'key' | 'aliases' }
  | { readonly kind: 'cycle' | 'unknown'; readonly name: string }

interface Size {
  values: number
  characters: number
  depth: number
}

/** An anchor. It has no size until its node has been measured completely. */
interface Anchor {
  size?: Size
}

class ExcessError extends Error {
  readonly excess: YamlExcess
  constructor(excess: YamlExcess) {
    super(excess.kind)
    this.excess = excess
  }
}

const sizeOfScalar = (value: unknown): Size => {
  if (value instanceof Uint8Array) return { values: value.length, characters: 0, depth: 0 }
  return { values: 1, characters: typeof value === 'string' ? value.length : 0, depth: 0 }
}

/** Measures each node once, in document order: an alias refers to the latest anchor of its name. */
const createMeter = (bounds: YamlBounds) => {
  const { isAlias, isCollection, isPair, isScalar } = yamlLibrary()
  const anchors = new Map<string, Anchor>()
  let aliases = 0

  const sizeOfAlias = (name: string): Size => {
    aliases += 1
    if (aliases > bounds.aliases) throw new ExcessError({ kind: 'aliases' })
    const anchor = anchors.get(name)
    if (anchor === undefined) throw new ExcessError({ kind: 'unknown', name })
    if (anchor.size === undefined) throw new ExcessError({ kind: 'cycle', name })
    return anchor.size
  }

  const add = (sum: Size, { values, characters, depth }: Size): void => {
    sum.values += values
    sum.characters += characters
    sum.depth = Math.max(sum.depth, depth + 1)
    if (sum.values > bounds.values || sum.characters > bounds.characters)
      throw new ExcessError({ kind: 'size' })
    if (sum.depth > bounds.depth) throw new ExcessError({ kind: 'depth' })
  }

  const addPair = (sum: Size, { key, value }: Pair): void => {
    const size = measure(key)
    if (size.values > bounds.valuesInKey) throw new ExcessError({ kind: 'key' })
    add(sum, size)
    add(sum, measure(value))
  }

  const sizeOfNode = (node: Node): Size => {
    if (!isCollection(node)) return sizeOfScalar(isScalar(node) ? node.value : undefined)
    const sum: Size = { values: 1, characters: 0, depth: 0 }
    for (const item of node.items)
      if (isPair(item)) addPair(sum, item)
      else add(sum, measure(item))
    return sum
  }

  const measure = (node: unknown): Size => {
    if (isAlias(node)) return sizeOfAlias(node.source)
    const { anchor } = (node ?? {}) as { anchor?: string }
    if (anchor === undefined) return sizeOfNode(node as Node)
    const entry: Anchor = {}
    anchors.set(anchor, entry)
    entry.size = sizeOfNode(node as Node)
    return entry.size
  }
  return measure
}

/**
 * Returns the first excess in the contents of a document; undefined if everything is within bounds. In that case the library may
 * expand the aliases without counting them (`maxAliasCount: -1`): its own count scans the whole text for each alias.
 */
export const findYamlExcess = (contents: unknown, bounds: YamlBounds): YamlExcess | undefined => {
  try {
    createMeter(bounds)(contents)
    return undefined
  } catch (error) {
    if (error instanceof ExcessError) return error.excess
    if (error instanceof RangeError) return { kind: 'depth' }
    throw error
  }
}
