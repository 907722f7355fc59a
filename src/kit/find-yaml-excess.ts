/** Whether the YAML of a stranger grows beyond bounds where its references are followed; told before anybody follows them. */
import type { Node, Pair } from 'yaml'
import { yamlLibrary } from './yaml-library.ts'

/** All counted with what references stand for, once for each reference. */
export interface YamlBounds {
  readonly values: number
  /** Of all texts together. */
  readonly letters: number
  /** How deep lists and maps may lie in each other. */
  readonly depth: number
  /** Values of a key that is itself a list or a map: such keys become text at every level that they lie in. */
  readonly valuesInKey: number
  /** Each is looked for among all of them. */
  readonly references: number
}

/** Of a reference it is the name. */
export type YamlExcess =
  | { readonly what: 'size' | 'depth' | 'key' | 'references' }
  | { readonly what: 'cycle' | 'unknown'; readonly name: string }

interface Size {
  values: number
  letters: number
  depth: number
}

/** Without a size as long as what is named is not over. */
interface Named {
  size?: Size
}

class Excess extends Error {
  readonly excess: YamlExcess
  constructor(excess: YamlExcess) {
    super(excess.what)
    this.excess = excess
  }
}

const sizeOfScalar = (value: unknown): Size => {
  if (value instanceof Uint8Array) return { values: value.length, letters: 0, depth: 0 }
  return { values: 1, letters: typeof value === 'string' ? value.length : 0, depth: 0 }
}

/** In the order of the text, as a reference means what had its name last; each node is looked at once. */
const createMeter = (bounds: YamlBounds) => {
  const { isAlias, isCollection, isPair, isScalar } = yamlLibrary()
  const named = new Map<string, Named>()
  let references = 0

  const sizeOfReference = (name: string): Size => {
    references += 1
    if (references > bounds.references) throw new Excess({ what: 'references' })
    const meant = named.get(name)
    if (meant === undefined) throw new Excess({ what: 'unknown', name })
    if (meant.size === undefined) throw new Excess({ what: 'cycle', name })
    return meant.size
  }

  const add = (sum: Size, { values, letters, depth }: Size): void => {
    sum.values += values
    sum.letters += letters
    sum.depth = Math.max(sum.depth, depth + 1)
    if (sum.values > bounds.values || sum.letters > bounds.letters) throw new Excess({ what: 'size' })
    if (sum.depth > bounds.depth) throw new Excess({ what: 'depth' })
  }

  const addPair = (sum: Size, { key, value }: Pair): void => {
    const size = measure(key)
    if (size.values > bounds.valuesInKey) throw new Excess({ what: 'key' })
    add(sum, size)
    add(sum, measure(value))
  }

  const sizeOfNode = (node: Node): Size => {
    if (!isCollection(node)) return sizeOfScalar(isScalar(node) ? node.value : undefined)
    const sum = { values: 1, letters: 0, depth: 0 }
    for (const item of node.items)
      if (isPair(item)) addPair(sum, item)
      else add(sum, measure(item))
    return sum
  }

  const measure = (node: unknown): Size => {
    if (isAlias(node)) return sizeOfReference(node.source)
    const { anchor } = (node ?? {}) as { anchor?: string }
    if (anchor === undefined) return sizeOfNode(node as Node)
    const entry: Named = {}
    named.set(anchor, entry)
    entry.size = sizeOfNode(node as Node)
    return entry.size
  }
  return measure
}

/**
 * The first thing in the contents of a document that is too much; undefined where all is within bounds. Then the library may follow
 * the references without counting them (`maxAliasCount: -1`): its count takes a walk through the whole text for each.
 */
export const findYamlExcess = (contents: unknown, bounds: YamlBounds): YamlExcess | undefined => {
  try {
    createMeter(bounds)(contents)
    return undefined
  } catch (error) {
    if (error instanceof Excess) return error.excess
    if (error instanceof RangeError) return { what: 'depth' }
    throw error
  }
}
