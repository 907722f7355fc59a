/** Signs and verifies JSON Web Tokens: with ECDSA on P-256 (ES256), or with a shared key (HS256). */
import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { lazily } from '#kit'

export type Claims = Readonly<Record<string, unknown>>

export interface TokenSigner {
  sign(claims: Claims): string
  /** Returns the claims if the signature is valid; does not check their expiry. */
  verify(token: string): Claims | undefined
  /** The public keys, as JSON Web Keys. */
  publicKeys(): readonly object[]
}

/** An algorithm with its keys. */
interface Algorithm {
  /** The encoded header of a token. */
  readonly header: string
  sign(text: string): string
  isSigned(text: string, signature: string): boolean
  publicKeys(): readonly object[]
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

const createKeyPair = (): Algorithm => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = keyIdOf(privateKey)
  const dsaEncoding = 'ieee-p1363'
  return {
    header: encode({ alg: 'ES256', kid }),
    sign: (text) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }).toString('base64url'),
    isSigned: (text, signature) =>
      verify(
        'sha256',
        Buffer.from(text),
        { key: publicKey, dsaEncoding },
        Buffer.from(signature, 'base64url'),
      ),
    publicKeys: () => [{ use: 'sig', ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' }],
  }
}

const createSharedKey = (key: string): Algorithm => {
  const signText = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return {
    header: encode({ alg: 'HS256' }),
    sign: signText,
    isSigned: (text, signature) => signature === signText(text),
    publicKeys: () => [],
  }
}

/**
 * With a shared key, the same claims give the same token, for clusters without sockets: no client outside the process can present one.
 */
export const createTokenSigner = (sharedKey?: string): TokenSigner => {
  const algorithm = lazily(() => (sharedKey === undefined ? createKeyPair() : createSharedKey(sharedKey)))
  const verified = new Map<string, Claims>()

  const verifySignature = (token: string): Claims | undefined => {
    const [first, payload, signature, ...more] = token.split('.')
    const { header, isSigned } = algorithm()
    if (first !== header || payload === undefined || signature === undefined || more.length > 0)
      return undefined
    return isSigned(`${first}.${payload}`, signature) ? decode(payload) : undefined
  }

  return {
    sign(claims) {
      const body = `${algorithm().header}.${encode(claims)}`
      return `${body}.${algorithm().sign(body)}`
    },
    publicKeys: () => algorithm().publicKeys(),
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
