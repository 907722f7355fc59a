/** Continue tokens of paged lists: the position and the resource version. */
import { ApiError, badRequest } from '#platform/kube/meta'

export interface Position {
  /** The version of the first page; -1 continues at the current version. */
  version: number
  /** The last key of the previous page. */
  after: string
}

const TOKEN_VERSION = 'meta.k8s.io/v1'

export const toContinueToken = ({ version, after }: Position): string =>
  Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: version, start: after })).toString('base64url')

const invalidToken = (detail: string): ApiError =>
  badRequest(`invalid continue token: continue key is not valid: ${detail}`)

const parseFields = (token: string): Record<string, unknown> => {
  const stray = /[^A-Za-z0-9_-]/.exec(token)
  if (stray !== null) throw invalidToken(`illegal base64 data at input byte ${stray.index}`)
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Rejected below, like a value that is not an object.
  }
  throw invalidToken('invalid character')
}

/** Parses an untrusted token; `current` is the highest valid version. */
export const parseContinueToken = (token: string, current: number): Position => {
  const { v, rv, start } = parseFields(token)
  if (v !== TOKEN_VERSION)
    throw invalidToken(`server does not recognize this encoded version ${JSON.stringify(v ?? '')}`)
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < -1 || rv > current)
    throw invalidToken(`incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`)
  if (typeof start !== 'string' || start === '')
    throw invalidToken(`encoded start key empty (version ${TOKEN_VERSION})`)
  return { version: rv, after: start }
}

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** A 410 error with a token that continues the list at the current version. */
export class ExpiredPage extends ApiError {
  readonly continue: string
  constructor(after: string) {
    super(410, 'Expired', TOO_OLD)
    this.continue = toContinueToken({ version: -1, after })
  }
}
