/** JSON Web Tokens signed with HMAC SHA-256. */

const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')

const signatureOf = (signed: string, key: string): Buffer =>
  crypto().createHmac('sha256', key).update(signed).digest()

/** Signs a token with these claims. */
export const signToken = (claims: Readonly<Record<string, unknown>>, key: string): string => {
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${signatureOf(signed, key).toString('base64url')}`
}

type Claims = Readonly<Record<string, unknown>>

/** Returns null if the token is invalid or signed with another key. */
const verify = (token: string, key: string): Claims | null => {
  const [header, payload, signature, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return null
  const expected = signatureOf(`${header}.${payload}`, key)
  const actual = Buffer.from(signature, 'base64url')
  if (actual.length !== expected.length || !crypto().timingSafeEqual(actual, expected)) return null
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  } catch {
    return null
  }
}

/** Enough for the users of a load. Each request of a user contains the same token. */
const MAX_VERIFIED = 200

/** The claims of valid tokens, by token and key. */
const verified = new Map<string, Claims>()

const verifyOnce = (token: string, key: string): Claims | null => {
  const name = `${token} ${key}`
  const known = verified.get(name)
  if (known !== undefined) return known
  const claims = verify(token, key)
  if (claims === null) return null
  if (verified.size >= MAX_VERIFIED) verified.clear()
  verified.set(name, claims)
  return claims
}

/**
 * Returns the claims of a token, which must not be changed. Returns null if the token is invalid, signed with another key, or expired at
 * `now` (milliseconds).
 */
export const readToken = (token: string, key: string, now: number): Claims | null => {
  const claims = verifyOnce(token, key)
  if (claims === null || (typeof claims.exp === 'number' && claims.exp * 1000 <= now)) return null
  return claims
}
