/** The access rules of a service, and the claims of bearer tokens. */

import type { AccessRule } from '#spec'
import { readToken } from '#world/expressions'
import type { IncomingRequest } from '#world/twin/ports'

export type Claims = Readonly<Record<string, unknown>>

/**
 * Returns null if there is no valid token for this key at the time `now`, or if the token is older than `maxAge`
 * seconds.
 */
export const readClaims = (
  { headers }: IncomingRequest,
  key: string | undefined,
  now: number,
  maxAge = Number.POSITIVE_INFINITY,
): Claims | null => {
  const authorization = headers.authorization
  if (key === undefined || authorization === undefined) return null
  const claims = readToken(authorization.replace(/^Bearer\s+/i, ''), key, now)
  const issued = claims?.iat
  return typeof issued === 'number' && now / 1000 - issued > maxAge ? null : claims
}

const toPattern = (path: string): RegExp => {
  const text = path
    .split('/')
    .map((part) => (part === '**' ? '.*' : part.split('*').map(escapeText).join('[^/]*')))
    .join('/')
  // `/a/**` also matches `/a`.
  return new RegExp(`^${text.replace(/\/\.\*$/, '(/.*)?')}$`)
}

const escapeText = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

const hasRole = (claims: Claims, allowed: readonly string[]): boolean => {
  const granted = [claims.roles, claims.role].flat().filter((role) => typeof role === 'string')
  const withoutPrefix = (role: string): string => role.replace(/^ROLE_/, '')
  const grantedNames = granted.map(withoutPrefix)
  return allowed.some((role) => grantedNames.includes(withoutPrefix(role)))
}

const isAllowed = ({ allow }: AccessRule, claims: Claims | null): boolean => {
  if (allow === 'anyone') return true
  if (claims === null) return false
  return allow === 'authenticated' || hasRole(claims, allow)
}

/** The first matching rule decides; a request that matches none is allowed. */
export const createAccessCheck = (
  rules: readonly AccessRule[],
): ((request: Pick<IncomingRequest, 'method' | 'path'>, claims: Claims | null) => boolean) => {
  const compiled = rules.map((rule) => ({ rule, pattern: toPattern(rule.path) }))
  return ({ method, path }, claims) => {
    const found = compiled.find(
      ({ rule, pattern }) => (rule.method === undefined || rule.method === method) && pattern.test(path),
    )
    return found === undefined || isAllowed(found.rule, claims)
  }
}
