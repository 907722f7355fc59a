/** Converts values of custom resources to CEL values: integers, doubles, timestamps and bytes. */
import { setMember } from '#kit'
import type { JsonSchema } from '#platform/kube/kinds'

/** Reserved words of CEL; a field named `namespace`, for example, is written `__namespace__`. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const escapeName = (name: string): string =>
  RESERVED.has(name)
    ? `__${name}__`
    : name
        .replaceAll('__', '__underscores__')
        .replaceAll('.', '__dot__')
        .replaceAll('-', '__dash__')
        .replaceAll('/', '__slash__')

const convertNumber = (value: number, schema: JsonSchema | undefined): unknown =>
  schema?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value)

const convertText = (value: string, format: string | undefined): unknown => {
  if (format === 'date-time' || format === 'date') return new Date(Date.parse(value))
  if (format === 'byte') return Uint8Array.from(Buffer.from(value, 'base64'))
  return value
}

/** Escapes the field names of the schema; keys of maps are data and are not escaped. */
const convertObject = (object: object, schema: JsonSchema | undefined): object => {
  const properties = schema?.properties ?? {}
  const values = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const converted: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    setMember(converted, property === undefined ? name : escapeName(name), toCel(value, property ?? values))
  }
  return converted
}

export const toCel = (value: unknown, schema: JsonSchema | undefined): unknown => {
  if (typeof value === 'number') return convertNumber(value, schema)
  if (typeof value === 'string') return convertText(value, schema?.format)
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items))
  return typeof value === 'object' && value !== null ? convertObject(value, schema) : value
}
