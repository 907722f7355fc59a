/** Who may ask for what: the rules of a service, and what a bearer token says of who asks. */
import { readToken } from '../../expressions/index.ts'
import type { AccessRule } from '../../spec/index.ts'
import type { IncomingRequest } from '../ports/index.ts'

export type Claims = Readonly<Record<string, unknown>>

/** Null where there is no token that this key signed, or where it is older than so many seconds. */
export const readClaims = (
  { headers }: IncomingRequest,
  key: string | undefined,
  maxAge = Number.POSITIVE_INFINITY,
): Claims | null => {
  const given = headers.authorization
  if (key === undefined || given === undefined) return null
  const claims = readToken(given.replace(/^Bearer\s+/i, ''), key, Date.now())
  const issued = claims?.iat
  return typeof issued === 'number' && Date.now() / 1000 - issued > maxAge ? null : claims
}

const toPattern = (path: string): RegExp => {
  const text = path
    .split('/')
    .map((part) => (part === '**' ? '.*' : part.split('*').map(escapeText).join('[^/]*')))
    .join('/')
  // `/a/**` stands for `/a`, too.
  return new RegExp(`^${text.replace(/\/\.\*$/, '(/.*)?')}$`)
}

const escapeText = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

const hasRole = (claims: Claims, allowed: readonly string[]): boolean => {
  const given = [claims.roles, claims.role].flat().filter((role) => typeof role === 'string')
  const bare = (role: string): string => role.replace(/^ROLE_/, '')
  return allowed.some((role) => given.some((one) => bare(one) === bare(role)))
}

const isAllowed = ({ allow }: AccessRule, claims: Claims | null): boolean => {
  if (allow === 'anyone') return true
  if (claims === null) return false
  return allow === 'authenticated' || hasRole(claims, allow)
}

/** What no rule is about is open to anyone. */
export const createAccess = (
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
