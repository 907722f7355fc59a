/** Reads the query parameters of lists and watches, and validates them as a real server does. */
import {
  ApiError,
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidObject,
  notSupported,
  type ResourceName,
  versionProblem,
} from '#platform/kube/meta'
import { isTrue } from './api-call.ts'

export interface ListOptions {
  limit: number
  /** Empty for the first page. */
  continue: string
  /** Undefined requests the latest version, 0 any version. */
  resourceVersion: number | undefined
  exact: boolean
}

export interface WatchOptions {
  resourceVersion: number | undefined
  /** Undefined if the client does not set it. */
  sendInitialEvents: boolean | undefined
  bookmarks: boolean
  /** In seconds; 0 means the server's default. */
  timeout: number
}

/** Resource versions are numbers here and strings in the API. */
export const parseVersion = (text: string | null): number | undefined => {
  if (text === null || text === '') return undefined
  const problem = versionProblem(text)
  if (problem === undefined) return Number(text)
  throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`)
}

/** Rejects reads at a version that does not exist yet. */
export const checkNotFuture = (requested: number, current: number): void => {
  if (requested <= current) return
  throw new ApiError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${requested}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
}

const readWholeNumber = (query: URLSearchParams, name: string): number => {
  const text = query.get(name)
  if (text === null || text === '') return 0
  if (/^[+-]?\d{1,15}$/.test(text)) return Math.max(0, Number(text))
  const detail = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${detail}`)
}

const throwIfAny = (errors: FieldError[]): void => {
  if (errors.length > 0) throw invalidObject('meta.k8s.io', 'ListOptions', '', errors)
}

const MATCH = 'resourceVersionMatch'
const FORBIDDEN_WITH_CONTINUE = forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`)

export const readListOptions = (query: URLSearchParams): ListOptions => {
  const match = query.get(MATCH) ?? ''
  const version = query.get('resourceVersion') ?? ''
  const token = query.get('continue') ?? ''
  const errors: FieldError[] = []
  if (match !== '') {
    if (version === '')
      errors.push(forbiddenField(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`))
    if (token !== '') errors.push(FORBIDDEN_WITH_CONTINUE)
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']))
    if (match === 'Exact' && version === '0')
      errors.push(forbiddenField(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`))
  }
  if (query.has('sendInitialEvents'))
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  throwIfAny(errors)
  return {
    limit: readWholeNumber(query, 'limit'),
    continue: token,
    resourceVersion: parseVersion(version),
    exact: match === 'Exact',
  }
}

/** A watch reports a malformed version as an invalid object of its resource. */
const parseWatchVersion = (text: string | null, { group, plural }: ResourceName): number | undefined => {
  const problem = text === null || text === '' ? undefined : versionProblem(text)
  if (problem !== undefined)
    throw invalidObject(group, plural, '', [invalid('resourceVersion', text, problem)])
  return parseVersion(text)
}

export const readWatchOptions = (query: URLSearchParams, resource: ResourceName): WatchOptions => {
  const match = query.get(MATCH) ?? ''
  const initial = query.get('sendInitialEvents')
  const errors: FieldError[] = []
  if (initial !== null && match !== 'NotOlderThan')
    errors.push(forbiddenField(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`))
  if (match !== '') {
    if (initial === null)
      errors.push(
        forbiddenField(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`),
      )
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']))
    if (query.get('continue')) errors.push(FORBIDDEN_WITH_CONTINUE)
  }
  throwIfAny(errors)
  return {
    resourceVersion: parseWatchVersion(query.get('resourceVersion'), resource),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeout: readWholeNumber(query, 'timeoutSeconds'),
  }
}
