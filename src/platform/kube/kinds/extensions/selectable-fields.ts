/** Validates the fields of a custom resource that field selectors may name. */
import type { CustomResourceDefinitionVersion } from 'kubernetes-types/apiextensions/v1.d.ts'
import { duplicate, type FieldError, invalid, required } from '#platform/kube/meta'
import { tooMany } from './schema-errors.ts'
import type { JsonSchema } from './structural-schema.ts'

const MAX_FIELDS = 8
const TYPES = ['string', 'boolean', 'integer']
const WRONG_TYPE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
/** A dot before each name. There are no brackets, because a selectable field is not inside a list. */
const PATH = /^(\.[A-Za-z_$][\w$-]*)+$/

const findSchema = (root: JsonSchema | undefined, names: readonly string[]): JsonSchema | undefined =>
  names.reduce<JsonSchema | undefined>(
    (schema, name) =>
      schema?.properties !== undefined && Object.hasOwn(schema.properties, name)
        ? schema.properties[name]
        : undefined,
    root,
  )

const validateField = (jsonPath: string, schema: JsonSchema | undefined, field: string): FieldError[] => {
  if (jsonPath === '') return [required(`${field}.jsonPath`)]
  const rejectPath = (problem: string): FieldError[] => [
    invalid(`${field}.jsonPath`, jsonPath, `is an invalid path: ${problem}`),
  ]
  if (!PATH.test(jsonPath))
    return rejectPath('expected names that are separated by dots, with a dot at the start')
  const names = jsonPath.slice(1).split('.')
  if (names[0] === 'metadata') return [invalid(field, jsonPath, 'must not point to fields in metadata')]
  const found = findSchema(schema, names)
  if (found === undefined) return rejectPath('does not refer to a valid field')
  return TYPES.includes(found.type ?? '') ? [] : [invalid(field, jsonPath, WRONG_TYPE)]
}

export const validateSelectableFields = (
  { selectableFields = [] }: CustomResourceDefinitionVersion,
  schema: JsonSchema | undefined,
  field: string,
): FieldError[] => {
  const paths = selectableFields.map(({ jsonPath = '' }) => jsonPath)
  const count = new Set(paths).size
  return [
    ...paths.flatMap((path, index) =>
      path !== '' && paths.indexOf(path) < index
        ? [duplicate(`${field}[${index}]`, path)]
        : validateField(path, schema, `${field}[${index}]`),
    ),
    ...(count > MAX_FIELDS ? [tooMany(field, count, MAX_FIELDS)] : []),
  ]
}
