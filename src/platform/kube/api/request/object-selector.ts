/** Matches objects against the label and field selectors of a request. */
import {
  badRequest,
  type FieldRequirement,
  type KubeObject,
  type LabelMatcher,
  matchesFields,
  parseFieldSelector,
  parseLabelSelector,
} from '#platform/kube/meta'
import type { Served } from '#platform/kube/resources'

export type ObjectMatcher = (object: KubeObject) => boolean

const fieldsOf = (served: Served, object: KubeObject): Record<string, string> => ({
  'metadata.name': object.metadata.name,
  'metadata.namespace': object.metadata.namespace ?? '',
  ...served.kind.selectableFields?.(object),
})

const EMPTY_OBJECT: KubeObject = {
  apiVersion: '',
  kind: '',
  metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
  spec: {},
  status: {},
}

/** Maps the field names of this version to those of the stored version. */
const knownFields = (served: Served): Record<string, string> =>
  served.fieldNames === undefined
    ? Object.fromEntries(Object.keys(fieldsOf(served, EMPTY_OBJECT)).map((field) => [field, field]))
    : { 'metadata.name': 'metadata.name', 'metadata.namespace': 'metadata.namespace', ...served.fieldNames }

/** Translates requirements to stored field names; throws for fields that the kind does not support. */
const toStoredFields = (served: Served, requirements: readonly FieldRequirement[]): FieldRequirement[] => {
  if (requirements.length === 0) return []
  const known = knownFields(served)
  return requirements.map((requirement) => {
    const { field } = requirement
    if (!Object.hasOwn(known, field)) throw badRequest(`field label not supported: ${field}`)
    return { ...requirement, field: known[field]! }
  })
}

/** `name` restricts the result to one object, for a watch of a single object. */
export const objectSelector = (served: Served, query: URLSearchParams, name = ''): ObjectMatcher => {
  const text = query.get('labelSelector')
  const labels: LabelMatcher | undefined = text ? parseLabelSelector(text) : undefined
  const fields = toStoredFields(served, parseFieldSelector(query.get('fieldSelector') ?? ''))
  if (name !== '') fields.push({ field: 'metadata.name', value: name, equal: true })
  if (labels === undefined && fields.length === 0) return () => true
  return (object) =>
    (labels === undefined || labels(object.metadata.labels)) &&
    (fields.length === 0 || matchesFields(fields, fieldsOf(served, object)))
}
