/** Validates a custom resource against its schema. */
import { deepEqual, isPlainObject, type LinearPattern, linearPattern, memberOf } from '#kit'
import { type FieldError, required, tooLong } from '#platform/kube/meta'
import { childPath, composite, fieldOf, tooMany, unsupported, violation, wrongType } from './schema-errors.ts'
import type { JsonSchema } from './structural-schema.ts'
import { meetsFormat } from './value-format.ts'

type Fields = Readonly<Record<string, unknown>>

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

const typesOf = (schema: JsonSchema): string[] => {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string']
  return schema.type === undefined || schema.type === '' ? [] : [schema.type]
}

const hasType = (value: unknown, schema: JsonSchema): boolean => {
  const types = typesOf(schema)
  const found = typeOf(value)
  if (types.length === 0 || types.includes(found)) return true
  if (found === 'integer') return types.includes('number')
  return found === 'null' && schema.nullable === true
}

/** Compiled patterns. They are garbage-collected together with their schema. */
const patterns = new WeakMap<JsonSchema, LinearPattern>()

const matches = (text: string, schema: JsonSchema, pattern: string): boolean => {
  let compiled = patterns.get(schema)
  if (compiled === undefined) {
    compiled = linearPattern(pattern)
    patterns.set(schema, compiled)
  }
  return compiled.test(text)
}

const checkString = (text: string, schema: JsonSchema, path: string): FieldError[] => {
  const { minLength = 0, maxLength, pattern, format } = schema
  const length = [...text].length
  return [
    ...(maxLength !== undefined && length > maxLength ? [tooLong(fieldOf(path), maxLength)] : []),
    ...(length < minLength ? [violation(path, text, `should be at least ${minLength} chars long`)] : []),
    ...(pattern !== undefined && !matches(text, schema, pattern)
      ? [violation(path, text, `should match '${pattern}'`)]
      : []),
    ...(format !== undefined && !meetsFormat(text, format) ? [wrongType(path, format, text)] : []),
  ]
}

const isMultiple = (value: number, factor: number): boolean => {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

const checkNumber = (value: number, schema: JsonSchema, path: string): FieldError[] => {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema
  const errors: FieldError[] = []
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    errors.push(violation(path, value, `should be a multiple of ${multipleOf}`))
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const words = exclusiveMaximum ? 'less than' : 'less than or equal to'
    errors.push(violation(path, value, `should be ${words} ${maximum}`))
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const words = exclusiveMinimum ? 'greater than' : 'greater than or equal to'
    errors.push(violation(path, value, `should be ${words} ${minimum}`))
  }
  return errors
}

/** Returns the old element with the same keys; undefined unless the list is keyed. */
const findPrevious = (item: unknown, old: unknown, schema: JsonSchema): unknown => {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined || !Array.isArray(old))
    return undefined
  return old.find(
    (before) =>
      isPlainObject(item) &&
      isPlainObject(before) &&
      keys.every((key) => memberOf(before, key) === memberOf(item, key)),
  )
}

/** Reports duplicates in lists of type set or map. */
const checkDistinct = (list: readonly unknown[], schema: JsonSchema, path: string): FieldError[] => {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'set' && listType !== 'map') return []
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const identity = (item: unknown): unknown =>
    listType === 'map' && isPlainObject(item) ? keys.map((key) => memberOf(item, key)) : item
  const toText = (item: unknown): string =>
    listType === 'map' && isPlainObject(item)
      ? `map[string]interface {}{${[...keys]
          .sort()
          .map((key) => `${JSON.stringify(key)}:${JSON.stringify(memberOf(item, key))}`)
          .join(', ')}}`
      : JSON.stringify(item)
  return list.flatMap((item, index) =>
    list.slice(0, index).some((earlier) => deepEqual(identity(earlier), identity(item)))
      ? [
          {
            field: `${path}[${index}]`,
            reason: 'FieldValueDuplicate' as const,
            message: `Duplicate value: ${toText(item)}`,
          },
        ]
      : [],
  )
}

const checkList = (
  list: readonly unknown[],
  old: unknown,
  schema: JsonSchema,
  path: string,
): FieldError[] => {
  const { minItems = 0, maxItems, uniqueItems, items } = schema
  const hasDuplicates = (): boolean =>
    list.some((item, index) => list.slice(0, index).some((earlier) => deepEqual(item, earlier)))
  return [
    ...(items === undefined
      ? []
      : list.flatMap((item, index) =>
          validateValue(item, findPrevious(item, old, schema), items, `${path}[${index}]`),
        )),
    ...(list.length < minItems
      ? [violation(path, list.length, `should have at least ${minItems} items`)]
      : []),
    ...(maxItems !== undefined && list.length > maxItems ? [tooMany(path, list.length, maxItems)] : []),
    ...(uniqueItems === true && hasDuplicates() ? [violation(path, '', "shouldn't contain duplicates")] : []),
    ...checkDistinct(list, schema, path),
  ]
}

/** An embedded resource must have an apiVersion and a kind. */
const checkEmbedded = (object: Fields, schema: JsonSchema, path: string): FieldError[] =>
  schema['x-kubernetes-embedded-resource'] === true
    ? ['apiVersion', 'kind']
        .filter((name) => object[name] === undefined || object[name] === '')
        .map((name) => required(childPath(path, name), 'must not be empty'))
    : []

const checkObject = (object: Fields, old: unknown, schema: JsonSchema, path: string): FieldError[] => {
  const { properties = {}, additionalProperties, minProperties = 0, maxProperties } = schema
  const count = Object.keys(object).length
  const before = isPlainObject(old) ? old : {}
  const errors: FieldError[] = []
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties))
  if (count < minProperties) {
    errors.push(violation(path, count, `should have at least ${minProperties} properties`))
  }
  for (const [name, value] of Object.entries(object)) {
    const property = Object.hasOwn(properties, name)
      ? properties[name]
      : typeof additionalProperties === 'object'
        ? additionalProperties
        : undefined
    if (property === undefined) continue
    errors.push(...validateValue(value, memberOf(before, name), property, childPath(path, name)))
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name)) errors.push(required(childPath(path, name)))
  }
  return [...errors, ...checkEmbedded(object, schema, path)]
}

const fewestErrors = (all: readonly FieldError[][]): FieldError[] =>
  all.reduce((best, errors) => (errors.length < best.length ? errors : best), all[0] ?? [])

const checkOperators = (value: unknown, schema: JsonSchema, path: string): FieldError[] => {
  const validatePart = (part: JsonSchema): FieldError[] => validateValue(value, undefined, part, path)
  const errors: FieldError[] = []
  const name = JSON.stringify(path)
  if (schema.anyOf !== undefined) {
    const results = schema.anyOf.map(validatePart)
    if (!results.some((result) => result.length === 0)) {
      errors.push(composite(`${name} must validate at least one schema (anyOf)`), ...fewestErrors(results))
    }
  }
  if (schema.oneOf !== undefined) {
    const results = schema.oneOf.map(validatePart)
    const valid = results.filter((result) => result.length === 0).length
    const text = `${name} must validate one and only one schema (oneOf).`
    if (valid === 0) errors.push(composite(`${text} Found none valid`), ...fewestErrors(results))
    if (valid > 1) errors.push(composite(`${text} Found ${valid} valid alternatives`))
  }
  if (schema.allOf !== undefined) {
    const results = schema.allOf.map(validatePart)
    const valid = results.filter((result) => result.length === 0).length
    if (valid < results.length) {
      const none = valid === 0 ? '. None validated' : ''
      errors.push(...results.flat(), composite(`${name} must validate all the schemas (allOf)${none}`))
    }
  }
  if (schema.not !== undefined && validatePart(schema.not).length === 0) {
    errors.push(composite(`${name} must not validate the schema (not)`))
  }
  return errors
}

/**
 * Returns the errors of `value` and all nested values. Values that equal those of `old` are accepted, even if a newer
 * schema rejects them.
 */
export const validateValue = (
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  path: string,
): FieldError[] => {
  if (old !== undefined && deepEqual(value, old)) return []
  if (!hasType(value, schema)) return [wrongType(path, typesOf(schema).join(','), typeOf(value))]
  if (value === null) return []
  const errors: FieldError[] = []
  if (schema.enum !== undefined && !schema.enum.some((allowed) => deepEqual(allowed, value))) {
    errors.push(unsupported(path, value, schema.enum))
  }
  if (typeof value === 'string') errors.push(...checkString(value, schema, path))
  else if (typeof value === 'number') errors.push(...checkNumber(value, schema, path))
  else if (Array.isArray(value)) errors.push(...checkList(value, old, schema, path))
  else if (isPlainObject(value)) errors.push(...checkObject(value, old, schema, path))
  return [...errors, ...checkOperators(value, schema, path)]
}
