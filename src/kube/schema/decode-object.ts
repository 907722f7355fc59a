/** Turns parsed JSON into an object of its type, as the server's own decoder and encoder would leave it. */

import { decodeError } from './decode-error.ts'
import { DecodeFailure } from './decode-failure.ts'
import { decodeInteger, decodeScalar } from './decode-scalar.ts'
import { jsonType, mismatch, pathText, type Walk } from './decode-walk.ts'
import { readGoQuantity } from './go-quantity.ts'
import { copyJson, type Fields, isPlainObject, isZero, put } from './json-value.ts'
import { objectPlan } from './object-plan.ts'
import type { GroupVersionKind, ObjectSchema, Schema } from './schema.ts'

export interface Decoded {
  /** Shares nothing with the input. */
  readonly object: any
  /** Paths of fields that the type does not have: `spec.template.spec.containers[0].foo`. */
  readonly unknown: readonly string[]
}

export interface DecodeOptions {
  /**
   * Keep zero values and add none: for what says only a part of an object, as an apply configuration does.
   * Otherwise the result is what a real server stores: `hostNetwork: false` is gone, `resources: {}` is there.
   */
  readonly partial?: boolean
}

/** Fields that an embedded object has without its schema saying so. */
const EMBEDDED = new Set(['apiVersion', 'kind', 'metadata'])

/** What Go makes of a null inside a list or a map, where it cannot be left out. */
const zeroElement = (schema: Schema, walk: Walk): unknown => {
  switch (schema.type) {
    case 'object':
      return decodeFields(schema, {}, walk)
    case 'map':
      return {}
    case 'list':
      return []
    case 'quantity':
      return '0'
    case 'string':
      return ''
    case 'boolean':
      return false
    default:
      return schema.type === 'any' ? null : 0
  }
}

const nullElement = (schema: Schema, walk: Walk): unknown =>
  walk.struct === undefined ? null : zeroElement(schema, walk)

const elementType = (goType: string, items: Schema): string => {
  if (goType.startsWith('[]')) return goType.slice(2).replace(/^\*/, '')
  const map = /^map\[[^\]]*\](.*)$/.exec(goType)
  return (
    map?.[1] ?? (items.type === 'object' ? (items.name?.split('.').slice(-2).join('.') ?? '') : items.type)
  )
}

const decodeList = (items: Schema, value: unknown, goType: string, walk: Walk): unknown[] => {
  if (!Array.isArray(value)) throw mismatch(jsonType(value), goType, walk)
  const type = elementType(goType, items)
  return value.map((item, index) => {
    walk.path.push(index)
    const decoded = item === null ? nullElement(items, walk) : decodeValue(items, item, type, walk)
    walk.path.pop()
    return decoded
  })
}

const decodeMap = (values: Schema, value: unknown, goType: string, walk: Walk): Fields => {
  if (!isPlainObject(value)) throw mismatch(jsonType(value), goType, walk)
  const type = elementType(goType, values)
  const decoded: Fields = {}
  for (const key of Object.keys(value)) {
    walk.path.push([key])
    const item = value[key]
    put(decoded, key, item === null ? nullElement(values, walk) : decodeValue(values, item, type, walk))
    walk.path.pop()
  }
  return decoded
}

const decodeFields = (schema: ObjectSchema, value: Fields, walk: Walk): Fields => {
  const plan = objectPlan(schema)
  const decoded: Fields = {}
  const outer = walk.struct
  walk.struct = plan.struct
  for (const key of Object.keys(value)) {
    const field = plan.fields.get(key)
    if (field === undefined) {
      if (schema.preserveUnknown === true || (schema.embedded === true && EMBEDDED.has(key))) {
        put(decoded, key, copyJson(value[key]))
      } else walk.unknown.push(pathText(walk.path, key))
      continue
    }
    if (value[key] === null || value[key] === undefined) {
      if (field.keepsNull) put(decoded, key, null)
      continue
    }
    walk.path.push(key)
    const item = decodeValue(field.schema, value[key], field.goType, walk)
    walk.path.pop()
    if (item !== undefined && (walk.partial || !field.dropZero || !isZero(item))) decoded[key] = item
  }
  walk.struct = outer
  if (!walk.partial) {
    for (const [key, fieldSchema] of plan.filled) decoded[key] ??= zeroElement(fieldSchema, walk)
  }
  return decoded
}

const decodeTyped = (schema: Schema, value: unknown, goType: string, walk: Walk): unknown => {
  switch (schema.type) {
    case 'object':
      if (!isPlainObject(value)) throw mismatch(jsonType(value), goType, walk)
      return decodeFields(schema, value, walk)
    case 'list':
      return decodeList(schema.items, value, goType, walk)
    case 'map':
      return decodeMap(schema.values, value, goType, walk)
    case 'any':
      return copyJson(value)
    case 'quantity':
      return readGoQuantity(value)
    case 'int-or-string':
      return typeof value === 'string' ? value : decodeInteger(value, 'int32', 'int32', walk)
    default:
      return decodeScalar(schema, value, goType, walk)
  }
}

/** Custom resources are only pruned here: their values are judged by validation, which says more. */
const decodeCustom = (schema: Schema, value: unknown, walk: Walk): unknown => {
  if (schema.type === 'list' && Array.isArray(value)) return decodeList(schema.items, value, '', walk)
  if (isPlainObject(value)) {
    if (schema.type === 'object') return decodeFields(schema, value, walk)
    if (schema.type === 'map') return decodeMap(schema.values, value, '', walk)
  }
  return copyJson(value)
}

const decodeValue = (schema: Schema, value: unknown, goType: string, walk: Walk): unknown =>
  walk.struct === undefined && !(schema.type === 'object' && schema.goFields !== undefined)
    ? decodeCustom(schema, value, walk)
    : decodeTyped(schema, value, goType, walk)

/**
 * Decodes `value` as the type that `schema` describes; `where` names it in messages.
 * Throws ApiError 400 where a value has the wrong type.
 */
export const decodeObject = (
  schema: ObjectSchema,
  value: unknown,
  where: GroupVersionKind,
  options: DecodeOptions = {},
): Decoded => {
  const struct = schema.goFields === undefined ? undefined : where.kind
  const walk: Walk = { path: [], unknown: [], partial: options.partial === true, struct }
  try {
    return {
      object: decodeValue(schema, value, `${where.version}.${where.kind}`, walk),
      unknown: walk.unknown,
    }
  } catch (error) {
    if (error instanceof DecodeFailure) throw decodeError(where, error.message)
    if (error instanceof RangeError) throw decodeError(where, 'exceeded max depth')
    throw error
  }
}
