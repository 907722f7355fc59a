/** Reads the structure of a Zod schema: its objects, lists and maps, and the paths between them. */
import type { z } from 'zod'

/** The parts of Zod's schema definitions that this file uses. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  readonly options?: readonly z.ZodType[]
  getter?(): z.ZodType
}

/** One step of a path in a schema: a field, `*` for any name in a map, or `[]` for any element of a list. */
export type SchemaPart = { readonly field: string } | '*' | '[]'

export interface SchemaChild {
  readonly part: SchemaPart
  readonly schema: z.ZodType
}

/** Metadata of a schema whose code selects one of several member schemas: `.meta({ members })`. */
interface SelectedMeta {
  readonly members?: readonly z.ZodType[]
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition

/** Returns the schema inside optional, default, transform and similar wrappers; for a union, its members. */
export const unwrapSchema = (schema: z.ZodType): z.ZodType[] => {
  const { members } = (schema.meta() ?? {}) as SelectedMeta
  if (members !== undefined) return members.flatMap(unwrapSchema)
  const { innerType, in: input, out: output, options, getter } = definitionOf(schema)
  if (getter !== undefined) return unwrapSchema(getter())
  const inner = [innerType, input, output, ...(options ?? [])].filter((part) => part !== undefined)
  return inner.length === 0 ? [schema] : inner.flatMap(unwrapSchema)
}

/** The fields of an object schema; undefined for any other schema. */
export const fieldsOf = (node: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined =>
  definitionOf(node).shape

export const childrenOf = (schema: z.ZodType): SchemaChild[] =>
  unwrapSchema(schema).flatMap((node): SchemaChild[] => {
    const { shape, element, valueType } = definitionOf(node)
    if (shape !== undefined)
      return Object.entries(shape).map(([field, child]) => ({ part: { field }, schema: child }))
    if (element !== undefined) return [{ part: '[]', schema: element }]
    return valueType === undefined ? [] : [{ part: '*', schema: valueType }]
  })

const matches = (part: SchemaPart, key: PropertyKey): boolean =>
  typeof part === 'string' ? part === '*' || typeof key === 'number' : part.field === key

/** The schemas that the value at the path can match. */
export const schemasAt = (schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType[] =>
  path.reduce<z.ZodType[]>(
    (schemas, key) =>
      schemas
        .flatMap(childrenOf)
        .filter(({ part }) => matches(part, key))
        .map((child) => child.schema),
    [schema],
  )

/** `deploy.resources.limits`, `endpoints.NAME.steps[]` */
export const toPartsText = (parts: readonly SchemaPart[]): string =>
  parts.reduce<string>((text, part) => {
    if (part === '[]') return `${text}[]`
    const name = part === '*' ? 'NAME' : part.field
    return text === '' ? name : `${text}.${name}`
  }, '')
