/** Describes a field that a schema does not have: where a field of this name belongs, or which name is similar. */
import type { z } from 'zod'
import { findNearestName } from '../find-nearest-name.ts'
import {
  childrenOf,
  fieldsOf,
  type SchemaPart,
  schemasAt,
  toPartsText,
  unwrapSchema,
} from './schema-nodes.ts'

type Path = readonly PropertyKey[]

/** The maximum number of steps up from the wrong object plus steps down to the right one. */
const MAX_DISTANCE = 4
/** A field that belongs in more places, such as "name", is too common for a suggestion. */
const MAX_PLACES = 3

interface Place {
  /** The number of steps up from the wrong object. */
  readonly up: number
  /** The steps down from there. */
  readonly down: readonly SchemaPart[]
}

const hasField = (schema: z.ZodType, key: string): boolean =>
  unwrapSchema(schema).some((node) => Object.hasOwn(fieldsOf(node) ?? {}, key))

/** Finds the shortest paths down to objects with the field, breadth first. Visits a recursive schema once. */
const findBelow = (roots: readonly z.ZodType[], key: string, maxDepth: number): (readonly SchemaPart[])[] => {
  const visited = new Set<z.ZodType>()
  let level = roots.map((schema) => ({ schema, down: [] as readonly SchemaPart[] }))
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const found = level.filter(({ schema }) => hasField(schema, key))
    if (found.length > 0) return found.map(({ down }) => down)
    for (const { schema } of level) visited.add(schema)
    level = level
      .flatMap(({ schema, down }) =>
        childrenOf(schema).map((child) => ({ schema: child.schema, down: [...down, child.part] })),
      )
      .filter(({ schema }) => !visited.has(schema))
  }
  return []
}

/** Finds the nearest places; at equal distance, places inside the object win over places in its parents. */
const findPlaces = (whole: z.ZodType, path: Path, key: string): Place[] => {
  let best: Place[] = []
  let distance = MAX_DISTANCE + 1
  for (let up = 0; up <= path.length && up < distance; up += 1) {
    const roots = schemasAt(whole, path.slice(0, path.length - up))
    const places = findBelow(roots, key, Math.min(MAX_DISTANCE, distance - 1) - up)
    if (places.length === 0) continue
    best = places.map((down) => ({ up, down }))
    distance = up + places[0]!.length
  }
  return best
}

const describePlace = ({ up, down }: Place, path: Path): string =>
  down.length === 0 ? `next to "${String(path[path.length - up])}"` : `under "${toPartsText(down)}"`

export interface UnknownField {
  /** The path of the object that has the field. */
  readonly path: Path
  readonly key: string
  /** The names of the object's other fields, which are known. */
  readonly others: readonly string[]
}

/** `whole` is the schema from which the path starts. */
export const describeUnknownField = (whole: z.ZodType, { path, key, others }: UnknownField): string => {
  const objects = schemasAt(whole, path)
    .flatMap(unwrapSchema)
    .map(fieldsOf)
    .filter((fields) => fields !== undefined)
  // In a union, only members that have the other fields can be intended.
  const intended = objects.filter((fields) => others.every((other) => Object.hasOwn(fields, other)))
  if (objects.some((fields) => Object.hasOwn(fields, key))) return 'is not a known field of this kind'
  const places = findPlaces(whole, path, key)
  const texts = [...new Set(places.map((place) => describePlace(place, path)))]
  if (texts.length > 0 && texts.length <= MAX_PLACES)
    return `is not a known field here; it belongs ${texts.join(' or ')}`
  const nearest = findNearestName(key, [...new Set(intended.flatMap((fields) => Object.keys(fields)))])
  return `is not a known field${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`
}
