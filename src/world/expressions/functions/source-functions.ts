/** Functions for time, randomness, hashes and tokens. */
import { ExpressionError } from '../expression-error.ts'
import { readToken, signToken } from '../json-web-token.ts'
import { slowHash } from '../slow-hash.ts'
import {
  asList,
  asMap,
  asNumber,
  asText,
  defineFunction,
  defineSourceFunction,
  type ExpressionFunctions,
  type ExpressionSources,
} from './define-function.ts'

const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

const hash = (value: unknown): string =>
  crypto().createHash('sha256').update(asText('hash', value)).digest('hex')

const pick = ({ random }: ExpressionSources, value: unknown): unknown => {
  const items = asList('pick', value)
  if (items.length === 0) throw new ExpressionError('pick() got an empty list')
  return items[Math.floor(random() * items.length)]
}

const randomInt = ({ random }: ExpressionSources, from: unknown, to: unknown): number => {
  const minimum = asNumber('randomInt', from)
  return minimum + Math.floor(random() * (asNumber('randomInt', to) - minimum + 1))
}

const token = ({ now, tokenKey }: ExpressionSources, claims: unknown, seconds: unknown): string => {
  if (tokenKey === undefined) throw new ExpressionError('token() needs a tokenKey')
  const issued = Math.floor(now() / 1000)
  const expires = issued + asNumber('token', seconds)
  return signToken({ ...asMap('token', claims), iat: issued, exp: expires }, tokenKey())
}

/** Returns null if the token is invalid, expired or signed with another key. */
const tokenClaims = ({ now, tokenKey }: ExpressionSources, encoded: unknown): unknown => {
  if (tokenKey === undefined) throw new ExpressionError('tokenClaims() needs a tokenKey')
  return readToken(asText('tokenClaims', encoded), tokenKey(), now())
}

export const SOURCE_FUNCTIONS: ExpressionFunctions = {
  now: defineSourceFunction(0, ({ now }) => now()),
  random: defineSourceFunction(0, ({ random }) => random()),
  uuid: defineSourceFunction(0, ({ uuid }) => uuid()),
  /** Includes both ends. */
  randomInt: defineSourceFunction(2, randomInt),
  pick: defineSourceFunction(1, pick),
  hash: defineFunction(1, hash),
  slowHash: defineSourceFunction(1, (sources, value) =>
    (sources.slowHash ?? slowHash)(asText('slowHash', value)),
  ),
  token: defineSourceFunction(2, token),
  tokenClaims: defineSourceFunction(1, tokenClaims),
}
