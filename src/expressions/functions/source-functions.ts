/** Functions that draw on the world: time, chance, hashes, tokens. */
import { ExpressionError } from '../expression-error.ts'
import { readToken, signToken } from '../token.ts'
import { defineFunction, type ExpressionFunctions, list, map, number, text } from './define-function.ts'

/** Where time and chance come from, so that the same seed can give the same values. */
export interface ExpressionSources {
  /** 0 to 1, 1 not included. */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly uuid: () => string
  /** What token() signs with. */
  readonly tokenKey?: (() => string) | undefined
}

/** Takes about ten milliseconds of a core, which is what password hashing is meant to do. */
const SLOW_ROUNDS = 25_000

const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

const hash = (value: unknown): string =>
  crypto().createHash('sha256').update(text('hash', value)).digest('hex')

const slowHash = (value: unknown): string =>
  crypto().pbkdf2Sync(text('slowHash', value), 'remedium', SLOW_ROUNDS, 32, 'sha256').toString('hex')

export const sourceFunctions = (sources: ExpressionSources): ExpressionFunctions => {
  const pick = (value: unknown): unknown => {
    const items = list('pick', value)
    if (items.length === 0) throw new ExpressionError('pick() got an empty list')
    return items[Math.floor(sources.random() * items.length)]
  }
  const randomInt = (from: unknown, to: unknown): number => {
    const least = number('randomInt', from)
    return least + Math.floor(sources.random() * (number('randomInt', to) - least + 1))
  }
  const token = (claims: unknown, seconds: unknown): string => {
    if (sources.tokenKey === undefined) throw new ExpressionError('token() needs a tokenKey')
    const issued = Math.floor(sources.now() / 1000)
    const expires = issued + number('token', seconds)
    return signToken({ ...map('token', claims), iat: issued, exp: expires }, sources.tokenKey())
  }
  /** Null of one that another key signed, or that is too old. */
  const tokenClaims = (given: unknown): unknown => {
    if (sources.tokenKey === undefined) throw new ExpressionError('tokenClaims() needs a tokenKey')
    return readToken(text('tokenClaims', given), sources.tokenKey(), sources.now())
  }
  return {
    now: defineFunction(0, () => sources.now()),
    random: defineFunction(0, () => sources.random()),
    uuid: defineFunction(0, () => sources.uuid()),
    /** Both ends included. */
    randomInt: defineFunction(2, randomInt),
    pick: defineFunction(1, pick),
    hash: defineFunction(1, hash),
    slowHash: defineFunction(1, slowHash),
    token: defineFunction(2, token),
    tokenClaims: defineFunction(1, tokenClaims),
  }
}
