/** The tokens by which a client goes on with a list: where it stands, and as of which version. */
import { ApiError, badRequest } from '../meta/index.ts'

export interface Position {
  /** The version at which the first page was read; -1 to go on with whatever is there now. */
  version: number
  /** The key after which this page begins. */
  after: string
}

const FORM = 'meta.k8s.io/v1'

export const toContinueToken = ({ version, after }: Position): string =>
  Buffer.from(JSON.stringify({ v: FORM, rv: version, start: after })).toString('base64url')

const invalidToken = (why: string): ApiError =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`)

const parseFields = (token: string): Record<string, unknown> => {
  const stray = /[^A-Za-z0-9_-]/.exec(token)
  if (stray !== null) throw invalidToken(`illegal base64 data at input byte ${stray.index}`)
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // refused below, like a value that is no object
  }
  throw invalidToken('invalid character')
}

/** Reads a token, which may be forged: `current` is the latest version that it can speak of. */
export const parseContinueToken = (token: string, current: number): Position => {
  const { v, rv, start } = parseFields(token)
  if (v !== FORM)
    throw invalidToken(`server does not recognize this encoded version ${JSON.stringify(v ?? '')}`)
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < -1 || rv > current)
    throw invalidToken(`incorrect encoded start resourceVersion (version ${FORM})`)
  if (typeof start !== 'string' || start === '')
    throw invalidToken(`encoded start key empty (version ${FORM})`)
  return { version: rv, after: start }
}

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** A 410 whose Status also says how to go on regardless. */
export class ExpiredPage extends ApiError {
  readonly continue: string
  constructor(after: string) {
    super(410, 'Expired', TOO_OLD)
    this.continue = toContinueToken({ version: -1, after })
  }
}
