/** API errors with the messages of kube-apiserver. Each becomes one Status object. */
import { defined } from '#kit'

export interface StatusCause {
  reason?: string
  message?: string
  field?: string
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata:
    | Record<string, never>
    | { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  status: 'Failure' | 'Success'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/** The error that every layer of the embedded Kubernetes throws for a rejected request. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.reason = reason
    this.details = details
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...defined({ details: this.details }),
      code: this.code,
    }
  }
}

/** A resource type as it is named in messages. */
export interface ResourceName {
  group: string
  plural: string
}

/** Returns `deployments.apps`, or `pods` for the core group. */
export const toQualifiedResource = (resource: ResourceName): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`

const detailsOf = (resource: ResourceName, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
})

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message)

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized')

export const forbidden = (resource: ResourceName, name: string, detail: string): ApiError =>
  new ApiError(
    403,
    'Forbidden',
    `${toQualifiedResource(resource)}${name === '' ? '' : ` "${name}"`} is forbidden: ${detail}`,
    detailsOf(resource, name),
  )

export const notFound = (resource: ResourceName, name: string): ApiError =>
  new ApiError(
    404,
    'NotFound',
    `${toQualifiedResource(resource)} "${name}" not found`,
    detailsOf(resource, name),
  )

/** The 404 for an unknown resource of a known group. */
export const noSuchResource = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

export const alreadyExists = (resource: ResourceName, name: string): ApiError =>
  new ApiError(
    409,
    'AlreadyExists',
    `${toQualifiedResource(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  )

export const conflict = (resource: ResourceName, name: string, detail: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${toQualifiedResource(resource)} "${name}": ${detail}`,
    detailsOf(resource, name),
  )

export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again'

/** The 410 for a resource version or continue token that is older than the watch history. */
export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message)

export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  causes?: StatusCause[],
): ApiError =>
  new ApiError(429, 'TooManyRequests', message, {
    ...defined({ causes }),
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  })

/** The error of a full etcd, which accepts only deletions. */
export const spaceExceeded = (): ApiError =>
  new ApiError(500, '', 'etcdserver: mvcc: database space exceeded')

/** Returns Go's error message for a malformed resource version; undefined if it is valid. */
export const versionProblem = (text: string): string | undefined => {
  if (/^\d{1,15}$/.test(text)) return undefined
  const detail = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${detail}`
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason === 'Conflict'
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'AlreadyExists'
