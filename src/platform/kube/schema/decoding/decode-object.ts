/** Decodes parsed JSON into an object of its type, with the same result as Go's decoder and encoder. */
import { cloneJson, isPlainObject, setMember } from '#kit'
import type { GroupVersionKind, ObjectSchema, Schema } from '../schema.ts'
import { decodeError } from './decode-error.ts'
import { DecodeFailure } from './decode-failure.ts'
import { decodeInteger, decodeScalar } from './decode-scalar.ts'
import { type DecodeState, mismatch, pathText } from './decode-state.ts'
import { readGoQuantity } from './go-quantity.ts'
import { type Fields, isZero } from './json-value.ts'
import { planOf } from './object-plan.ts'

export interface Decoded {
  /** Shares nothing with the input. */
  readonly object: any
  /** Paths of unknown fields: `spec.template.spec.containers[0].foo`. */
  readonly unknown: readonly string[]
}

export interface DecodeOptions {
  /**
   * Keeps zero values and adds none, for partial objects such as apply configurations. By default the result is what
   * a real server stores: `hostNetwork: false` is dropped, `resources: {}` is added.
   */
  readonly partial?: boolean
}

/** Fields that every embedded object has, although its schema does not list them. */
const EMBEDDED_FIELDS = new Set(['apiVersion', 'kind', 'metadata'])

/** Go decodes null in a list or map as the zero value, because the element cannot be omitted. */
const zeroElement = (schema: Schema, state: DecodeState): unknown => {
  switch (schema.type) {
    case 'object':
      return decodeFields(schema, {}, state)
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

const nullElement = (schema: Schema, state: DecodeState): unknown =>
  state.struct === undefined ? null : zeroElement(schema, state)

const elementType = (goType: string, items: Schema): string => {
  if (goType.startsWith('[]')) return goType.slice(2).replace(/^\*/, '')
  const map = /^map\[[^\]]*\](.*)$/.exec(goType)
  return (
    map?.[1] ?? (items.type === 'object' ? (items.name?.split('.').slice(-2).join('.') ?? '') : items.type)
  )
}

const decodeList = (items: Schema, value: unknown, goType: string, state: DecodeState): unknown[] => {
  if (!Array.isArray(value)) throw mismatch(value, goType, 'slice', state)
  const type = elementType(goType, items)
  return value.map((item, index) => {
    state.path.push(index)
    const decoded = item === null ? nullElement(items, state) : decodeValue(items, item, type, state)
    state.path.pop()
    return decoded
  })
}

const decodeMap = (values: Schema, value: unknown, goType: string, state: DecodeState): Fields => {
  if (!isPlainObject(value)) throw mismatch(value, goType, 'map', state)
  const type = elementType(goType, values)
  const decoded: Fields = {}
  for (const key of Object.keys(value)) {
    state.path.push([key])
    const item = value[key]
    setMember(
      decoded,
      key,
      item === null ? nullElement(values, state) : decodeValue(values, item, type, state),
    )
    state.path.pop()
  }
  return decoded
}

const decodeFields = (schema: ObjectSchema, value: Fields, state: DecodeState): Fields => {
  const plan = planOf(schema)
  const decoded: Fields = {}
  const outer = state.struct
  state.struct = plan.struct
  for (const key of Object.keys(value)) {
    const field = plan.fields.get(key)
    if (field === undefined) {
      if (schema.preserveUnknown === true || (schema.embedded === true && EMBEDDED_FIELDS.has(key))) {
        setMember(decoded, key, cloneJson(value[key]))
      } else state.unknown.push(pathText(state.path, key))
      continue
    }
    if (value[key] === null || value[key] === undefined) {
      if (field.keepsNull) setMember<unknown>(decoded, key, null)
      continue
    }
    state.path.push(key)
    const item = decodeValue(field.schema, value[key], field.goType, state)
    state.path.pop()
    if (item !== undefined && (state.partial || !field.dropZero || !isZero(item))) decoded[key] = item
  }
  state.struct = outer
  if (!state.partial) {
    for (const [key, fieldSchema] of plan.filled) decoded[key] ??= zeroElement(fieldSchema, state)
  }
  return decoded
}

const decodeTyped = (schema: Schema, value: unknown, goType: string, state: DecodeState): unknown => {
  switch (schema.type) {
    case 'object':
      if (!isPlainObject(value)) throw mismatch(value, goType, 'struct', state)
      return decodeFields(schema, value, state)
    case 'list':
      return decodeList(schema.items, value, goType, state)
    case 'map':
      return decodeMap(schema.values, value, goType, state)
    case 'any':
      return cloneJson(value)
    case 'quantity':
      return readGoQuantity(value)
    case 'int-or-string':
      return typeof value === 'string' ? value : decodeInteger(value, 'int32', 'int32', state)
    default:
      return decodeScalar(schema, value, goType, state)
  }
}

/** Custom resources are only pruned here. Validation checks their values, with better messages. */
const decodeCustom = (schema: Schema, value: unknown, state: DecodeState): unknown => {
  if (schema.type === 'list' && Array.isArray(value)) return decodeList(schema.items, value, '', state)
  if (isPlainObject(value)) {
    if (schema.type === 'object') return decodeFields(schema, value, state)
    if (schema.type === 'map') return decodeMap(schema.values, value, '', state)
  }
  return cloneJson(value)
}

const decodeValue = (schema: Schema, value: unknown, goType: string, state: DecodeState): unknown =>
  state.struct === undefined && !(schema.type === 'object' && schema.goFields !== undefined)
    ? decodeCustom(schema, value, state)
    : decodeTyped(schema, value, goType, state)

/**
 * Decodes `value` as the type that `schema` describes. `gvk` names the type in messages.
 * Throws ApiError 400 if a value has the wrong type or format.
 */
export const decodeObject = (
  schema: ObjectSchema,
  value: unknown,
  gvk: GroupVersionKind,
  options: DecodeOptions = {},
): Decoded => {
  const struct = schema.goFields === undefined ? undefined : gvk.kind
  const state: DecodeState = { path: [], unknown: [], partial: options.partial === true, struct }
  try {
    return {
      object: decodeValue(schema, value, `${gvk.version}.${gvk.kind}`, state),
      unknown: state.unknown,
    }
  } catch (error) {
    if (error instanceof DecodeFailure) throw decodeError(gvk, error.message, error.converterMessage)
    if (error instanceof RangeError) throw decodeError(gvk, 'exceeded max depth')
    throw error
  }
}
