/** Checks an applied configuration against the schema, with the messages of kube-apiserver. */
import { isPlainObject } from '#kit'
import { ApiError } from '#platform/kube/meta'
import type { ListSchema, ObjectSchema, Schema } from '#platform/kube/schema'
import { elementMember, explainMissingKey, printMember } from './field-member.ts'
import { goText, goType } from './go-text.ts'
import { schemaOfMember, UNDESCRIBED } from './schema-of-member.ts'

const goLiteral = (value: unknown): string =>
  isPlainObject(value) || Array.isArray(value)
    ? `${goType(value)}{${JSON.stringify(value).slice(1, -1)}}`
    : JSON.stringify(value)

const findProblems = (schema: Schema, value: unknown, path: string): string[] => {
  if (value === null || value === undefined || schema === UNDESCRIBED) return []
  const toProblem = (text: string): string[] => [path === '' ? text : `${path}: ${text}`]
  switch (schema.type) {
    case 'any':
      return []
    case 'list':
      return Array.isArray(value)
        ? findListProblems(schema, value, path)
        : toProblem(`expected list, got &{${goText(value)}}`)
    case 'object':
    case 'map':
      if (!isPlainObject(value)) return toProblem(`expected map, got &{${goText(value)}}`)
      return Object.keys(value).flatMap((key) =>
        schema.type === 'object' && isUndeclared(schema, key)
          ? [`${path}.${key}: field not declared in schema`]
          : findProblems(schemaOfMember(schema, key), value[key], `${path}.${key}`),
      )
    case 'string':
      return typeof value === 'string'
        ? []
        : toProblem(`expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`)
    case 'boolean':
      return typeof value === 'boolean' ? [] : toProblem(`expected boolean, got &{${goText(value)}}`)
    case 'integer':
    case 'number':
      return typeof value === 'number'
        ? []
        : toProblem(`expected numeric (int or float), got ${goType(value)}`)
    default:
      return typeof value === 'object' ? toProblem(`expected any scalar, got &{${goText(value)}}`) : []
  }
}

const isUndeclared = (schema: ObjectSchema, key: string): boolean =>
  !schema.fields.has(key) &&
  schema.preserveUnknown !== true &&
  !(schema.embedded === true && ['apiVersion', 'kind', 'metadata'].includes(key))

const findListProblems = (list: ListSchema, elements: readonly unknown[], path: string): string[] => {
  if (list.merge === 'atomic')
    return elements.flatMap((value, index) => findProblems(list.items, value, `${path}[${index}]`))
  const seen = new Set<string>()
  return elements.flatMap((element, index) => {
    const member = elementMember(list, element)
    if (member === undefined) return [`${path}: element ${index}: ${explainMissingKey(list, element)}`]
    const duplicate = seen.has(member) ? [`${path}: duplicate entries for key ${printMember(member)}`] : []
    seen.add(member)
    return [...duplicate, ...findProblems(list.items, element, path + printMember(member))]
  })
}

/** Throws ApiError 500 if the configuration does not match the schema. */
export const checkConfiguration = (schema: Schema, applied: Readonly<Record<string, any>>): void => {
  const errors = findProblems(schema, applied, '')
  if (errors.length === 0) return
  const { apiVersion = '', kind = '', metadata } = applied
  const group = String(apiVersion).includes('/') ? apiVersion : `/${apiVersion}`
  const subject = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${group}, Kind=${kind}`
  const text =
    errors.length === 1 ? errors[0] : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n')
  throw new ApiError(500, '', `failed to create typed patch object (${subject}): ${text}`)
}
