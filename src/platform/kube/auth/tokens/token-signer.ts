/** Signs and verifies JSON Web Tokens with ECDSA on P-256 (ES256). */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { lazily } from '#kit'

export type Claims = Readonly<Record<string, unknown>>

export interface TokenSigner {
  sign(claims: Claims): string
  /** Returns the claims if the signature is valid; does not check their expiry. */
  verify(token: string): Claims | undefined
  /** The public key, as a JSON Web Key. */
  publicKey(): object
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const decode = (part: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64url')

/** Verified tokens are cached, because verifying a signature is slow; the cache is cleared above this size. */
const MAX_CACHED = 1000

export const createTokenSigner = (): TokenSigner => {
  const keys = lazily(() => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return { publicKey, privateKey, header: encode({ alg: 'ES256', kid: keyIdOf(privateKey) }) }
  })
  const verified = new Map<string, Claims>()

  const verifySignature = (token: string): Claims | undefined => {
    const [first, payload, signature, ...more] = token.split('.')
    const { publicKey, header } = keys()
    if (first !== header || payload === undefined || signature === undefined || more.length > 0)
      return undefined
    const isValid = verify(
      'sha256',
      Buffer.from(`${first}.${payload}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    return isValid ? decode(payload) : undefined
  }

  return {
    sign(claims) {
      const { privateKey, header } = keys()
      const body = `${header}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${body}.${signature.toString('base64url')}`
    },
    publicKey: () => ({
      use: 'sig',
      ...keys().publicKey.export({ format: 'jwk' }),
      kid: keyIdOf(keys().privateKey),
      alg: 'ES256',
    }),
    verify(token) {
      const cached = verified.get(token)
      if (cached !== undefined) return cached
      const claims = verifySignature(token)
      if (claims === undefined) return undefined
      if (verified.size >= MAX_CACHED) verified.clear()
      verified.set(token, claims)
      return claims
    },
  }
}
