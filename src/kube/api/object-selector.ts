/** What the selectors of a request pick from a kind's objects. */
import {
  badRequest,
  type FieldRequirement,
  type KubeObject,
  type LabelMatcher,
  meetsFields,
  parseFieldSelector,
  parseLabelSelector,
} from '../meta/index.ts'
import type { Served } from '../resources/index.ts'

export type ObjectMatcher = (object: KubeObject) => boolean

const fieldsOf = (served: Served, object: KubeObject): Record<string, string> => ({
  'metadata.name': object.metadata.name,
  'metadata.namespace': object.metadata.namespace ?? '',
  ...served.kind.selectableFields?.(object),
})

const EMPTY: KubeObject = {
  apiVersion: '',
  kind: '',
  metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
  spec: {},
  status: {},
}

/** By which name of the stored form the objects are selected, for every name that this version knows. */
const knownFields = (served: Served): Record<string, string> =>
  served.fieldNames === undefined
    ? Object.fromEntries(Object.keys(fieldsOf(served, EMPTY)).map((field) => [field, field]))
    : { 'metadata.name': 'metadata.name', 'metadata.namespace': 'metadata.namespace', ...served.fieldNames }

/** The same in the names of the stored form; refuses fields that this kind cannot be selected by. */
const toStoredFields = (served: Served, requirements: readonly FieldRequirement[]): FieldRequirement[] => {
  if (requirements.length === 0) return []
  const known = knownFields(served)
  return requirements.map((requirement) => {
    const { field } = requirement
    if (!Object.hasOwn(known, field)) throw badRequest(`field label not supported: ${field}`)
    return { ...requirement, field: known[field]! }
  })
}

/** `name` is that of a watch on one object. */
export const objectSelector = (served: Served, query: URLSearchParams, name = ''): ObjectMatcher => {
  const text = query.get('labelSelector')
  const labels: LabelMatcher | undefined = text ? parseLabelSelector(text) : undefined
  const fields = toStoredFields(served, parseFieldSelector(query.get('fieldSelector') ?? ''))
  if (name !== '') fields.push({ field: 'metadata.name', value: name, equal: true })
  if (labels === undefined && fields.length === 0) return () => true
  return (object) =>
    (labels === undefined || labels(object.metadata.labels)) &&
    (fields.length === 0 || meetsFields(fields, fieldsOf(served, object)))
}
