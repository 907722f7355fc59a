/** Refuses an applied configuration that does not fit the schema, in the words of the real server's merger. */
import { ApiError } from '../meta/index.ts'
import type { ListSchema, ObjectSchema, Schema } from '../schema/index.ts'
import { elementMember, printMember, unidentified } from './field-member.ts'
import { goText, goType } from './go-text.ts'
import { isPlainObject } from './plain-object.ts'
import { schemaOfMember, UNDESCRIBED } from './schema-of-member.ts'

const goLiteral = (value: unknown): string =>
  isPlainObject(value) || Array.isArray(value)
    ? `${goType(value)}{${JSON.stringify(value).slice(1, -1)}}`
    : JSON.stringify(value)

const findings = (schema: Schema, value: unknown, path: string): string[] => {
  if (value === null || value === undefined || schema === UNDESCRIBED) return []
  const wrong = (text: string): string[] => [path === '' ? text : `${path}: ${text}`]
  switch (schema.type) {
    case 'any':
      return []
    case 'list':
      return Array.isArray(value)
        ? listFindings(schema, value, path)
        : wrong(`expected list, got &{${goText(value)}}`)
    case 'object':
    case 'map':
      if (!isPlainObject(value)) return wrong(`expected map, got &{${goText(value)}}`)
      return Object.keys(value).flatMap((key) =>
        schema.type === 'object' && isUndeclared(schema, key)
          ? [`${path}.${key}: field not declared in schema`]
          : findings(schemaOfMember(schema, key), value[key], `${path}.${key}`),
      )
    case 'string':
      return typeof value === 'string'
        ? []
        : wrong(`expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`)
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong(`expected boolean, got &{${goText(value)}}`)
    case 'integer':
    case 'number':
      return typeof value === 'number' ? [] : wrong(`expected numeric (int or float), got ${goType(value)}`)
    default:
      return typeof value === 'object' ? wrong(`expected any scalar, got &{${goText(value)}}`) : []
  }
}

const isUndeclared = (schema: ObjectSchema, key: string): boolean =>
  !schema.fields.has(key) &&
  schema.preserveUnknown !== true &&
  !(schema.embedded === true && ['apiVersion', 'kind', 'metadata'].includes(key))

const listFindings = (list: ListSchema, elements: readonly unknown[], path: string): string[] => {
  if (list.merge === 'atomic')
    return elements.flatMap((value, at) => findings(list.items, value, `${path}[${at}]`))
  const seen = new Set<string>()
  return elements.flatMap((element, at) => {
    const why = unidentified(list, element)
    const member = elementMember(list, element)
    if (member === undefined) return [`${path}: element ${at}: ${why}`]
    const twice = seen.has(member) ? [`${path}: duplicate entries for key ${printMember(member)}`] : []
    seen.add(member)
    return [...twice, ...findings(list.items, element, path + printMember(member))]
  })
}

/** Throws when the configuration has a field or a value that its kind does not. */
export const checkConfiguration = (schema: Schema, applied: Readonly<Record<string, any>>): void => {
  const errors = findings(schema, applied, '')
  if (errors.length === 0) return
  const { apiVersion = '', kind = '', metadata } = applied
  const group = String(apiVersion).includes('/') ? apiVersion : `/${apiVersion}`
  const subject = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${group}, Kind=${kind}`
  const text =
    errors.length === 1 ? errors[0] : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n')
  throw new ApiError(500, '', `failed to create typed patch object (${subject}): ${text}`)
}
