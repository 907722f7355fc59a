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

/** Refuses fields that this kind cannot be selected by. */
const checkFields = (served: Served, requirements: readonly FieldRequirement[]): void => {
  if (requirements.length === 0) return
  const known = fieldsOf(served, EMPTY)
  for (const { field } of requirements) {
    if (!Object.hasOwn(known, field)) throw badRequest(`field label not supported: ${field}`)
  }
}

/** `name` is that of a watch on one object. */
export const objectSelector = (served: Served, query: URLSearchParams, name = ''): ObjectMatcher => {
  const text = query.get('labelSelector')
  const labels: LabelMatcher | undefined = text ? parseLabelSelector(text) : undefined
  const fields: FieldRequirement[] = parseFieldSelector(query.get('fieldSelector') ?? '')
  if (name !== '') fields.push({ field: 'metadata.name', value: name, equal: true })
  checkFields(served, fields)
  if (labels === undefined && fields.length === 0) return () => true
  return (object) =>
    (labels === undefined || labels(object.metadata.labels)) &&
    (fields.length === 0 || meetsFields(fields, fieldsOf(served, object)))
}
