/** Lists: selectors, pages that agree with each other, and resource versions. */
import {
  ApiError,
  badRequest,
  expired,
  type FieldRequirement,
  type KubeObject,
  type LabelMatcher,
  meetsFields,
  parseFieldSelector,
  parseLabelSelector,
} from '../meta/index.ts'
import type { Served } from '../resources/index.ts'
import type { Store } from '../store/index.ts'

export type ObjectMatcher = (object: KubeObject) => boolean

/** What the selectors of a request pick from a kind's objects. */
export const selectorOf = (served: Served, query: URLSearchParams, name = ''): ObjectMatcher => {
  const labels: LabelMatcher | undefined = query.get('labelSelector')
    ? parseLabelSelector(query.get('labelSelector')!)
    : undefined
  const fields: FieldRequirement[] = parseFieldSelector(query.get('fieldSelector') ?? '')
  if (name !== '') fields.push({ field: 'metadata.name', value: name, equal: true })
  checkFields(served, fields)
  if (labels === undefined && fields.length === 0) return () => true
  return (object) =>
    (labels === undefined || labels(object.metadata.labels)) &&
    (fields.length === 0 || meetsFields(fields, fieldsOf(served, object)))
}

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

interface Position {
  /** The version at which the first page was read; -1 to go on with whatever is there now. */
  version: number
  /** The key after which this page begins. */
  after: string
}

const encodePosition = (position: Position): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: position.version, start: position.after })).toString(
    'base64url',
  )

const decodePosition = (token: string): Position => {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (typeof value === 'object' && value !== null && 'rv' in value && 'start' in value) {
      if (typeof value.rv === 'number' && typeof value.start === 'string')
        return { version: value.rv, after: value.start }
    }
  } catch {
    // falls through to the refusal
  }
  throw badRequest(`continue key is not valid: illegal base64 data at input byte 0`)
}

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

export interface ObjectList {
  items: readonly KubeObject[]
  resourceVersion: string
  continue?: string
  remaining?: number
}

/** A 410 whose Status also says how to go on regardless. */
export class ExpiredPage extends ApiError {
  readonly continue: string
  constructor(after: string) {
    super(410, 'Expired', TOO_OLD)
    this.continue = encodePosition({ version: -1, after })
  }
}

const parseVersion = (text: string | null): number | undefined => {
  if (text === null || text === '') return undefined
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  return Number(text)
}

/** Readers may not ask for a version that is still to come. */
export const checkNotFuture = (asked: number, current: number): void => {
  if (asked <= current) return
  throw new ApiError(504, 'Timeout', `Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}

const keyOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

const readLimit = (query: URLSearchParams): number => {
  const text = query.get('limit')
  if (text === null || text === '') return 0
  if (!/^-?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Math.max(0, Number(text))
}

export const listObjects = (
  store: Store,
  served: Served,
  namespace: string,
  query: URLSearchParams,
): ObjectList => {
  const matches = selectorOf(served, query)
  const limit = readLimit(query)
  const token = query.get('continue')
  const asked = parseVersion(query.get('resourceVersion'))
  const within = namespace === '' ? undefined : namespace
  const { id } = served.kind
  let at = store.version
  let after = ''
  let objects: KubeObject[]
  if (token) {
    if (asked !== undefined && asked > 0)
      throw badRequest('specifying resource version is not allowed when using continue')
    const position = decodePosition(token)
    after = position.after
    at = position.version < 0 ? store.version : position.version
    const found = store.listAt(id, at, within)
    if (found === undefined) throw new ExpiredPage(after)
    objects = found
  } else if (query.get('resourceVersionMatch') === 'Exact' && asked !== undefined && asked > 0) {
    checkNotFuture(asked, store.version)
    at = asked
    const found = store.listAt(id, at, within)
    if (found === undefined) throw expired(`The resourceVersion for the provided list is too old.`)
    objects = found
  } else {
    if (asked !== undefined) checkNotFuture(asked, store.version)
    objects = store.list(id, within)
  }
  const matching = objects.filter((object) => (after === '' || keyOf(object) > after) && matches(object))
  const page = limit > 0 && matching.length > limit ? matching.slice(0, limit) : matching
  const filtered = query.get('labelSelector') || query.get('fieldSelector')
  const left = matching.length - page.length
  return {
    items: page.map((object) => served.toServed(object)),
    resourceVersion: String(at),
    ...(left > 0 ? { continue: encodePosition({ version: at, after: keyOf(page.at(-1)!) }) } : {}),
    ...(left > 0 && !filtered ? { remaining: left } : {}),
  }
}
