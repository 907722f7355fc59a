/** Functions for time, randomness, hashes and tokens. */
import { ExpressionError } from '../expression-error.ts'
import { readToken, signToken } from '../json-web-token.ts'
import {
  asList,
  asMap,
  asNumber,
  asText,
  defineFunction,
  type ExpressionFunctions,
} from './define-function.ts'

/** The sources of time and randomness, so that the same seed yields the same values. */
export interface ExpressionSources {
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly uuid: () => string
  /** The key that token() signs with. */
  readonly tokenKey?: (() => string) | undefined
}

/** Takes about ten milliseconds of CPU time, like a password hash. */
const SLOW_HASH_ITERATIONS = 25_000

const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

const hash = (value: unknown): string =>
  crypto().createHash('sha256').update(asText('hash', value)).digest('hex')

const slowHash = (value: unknown): string =>
  crypto()
    .pbkdf2Sync(asText('slowHash', value), 'remedium', SLOW_HASH_ITERATIONS, 32, 'sha256')
    .toString('hex')

export const sourceFunctions = (sources: ExpressionSources): ExpressionFunctions => {
  const pick = (value: unknown): unknown => {
    const items = asList('pick', value)
    if (items.length === 0) throw new ExpressionError('pick() got an empty list')
    return items[Math.floor(sources.random() * items.length)]
  }
  const randomInt = (from: unknown, to: unknown): number => {
    const minimum = asNumber('randomInt', from)
    return minimum + Math.floor(sources.random() * (asNumber('randomInt', to) - minimum + 1))
  }
  const token = (claims: unknown, seconds: unknown): string => {
    if (sources.tokenKey === undefined) throw new ExpressionError('token() needs a tokenKey')
    const issued = Math.floor(sources.now() / 1000)
    const expires = issued + asNumber('token', seconds)
    return signToken({ ...asMap('token', claims), iat: issued, exp: expires }, sources.tokenKey())
  }
  /** Returns null if the token is invalid, expired or signed with another key. */
  const tokenClaims = (encoded: unknown): unknown => {
    if (sources.tokenKey === undefined) throw new ExpressionError('tokenClaims() needs a tokenKey')
    return readToken(asText('tokenClaims', encoded), sources.tokenKey(), sources.now())
  }
  return {
    now: defineFunction(0, () => sources.now()),
    random: defineFunction(0, () => sources.random()),
    uuid: defineFunction(0, () => sources.uuid()),
    /** Includes both ends. */
    randomInt: defineFunction(2, randomInt),
    pick: defineFunction(1, pick),
    hash: defineFunction(1, hash),
    slowHash: defineFunction(1, slowHash),
    token: defineFunction(2, token),
    tokenClaims: defineFunction(1, tokenClaims),
  }
}
