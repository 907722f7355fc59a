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

/**
 * Returns the claims of a token. Returns null if the token is invalid, signed with another key, or expired at
 * `now` (milliseconds).
 */
export const readToken = (
  token: string,
  key: string,
  now: number,
): Readonly<Record<string, unknown>> | null => {
  const [header, payload, signature, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return null
  const expected = signatureOf(`${header}.${payload}`, key)
  const actual = Buffer.from(signature, 'base64url')
  if (actual.length !== expected.length || !crypto().timingSafeEqual(actual, expected)) return null
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown }
    if (typeof claims.exp === 'number' && claims.exp * 1000 <= now) return null
    return claims as Readonly<Record<string, unknown>>
  } catch {
    return null
  }
}
