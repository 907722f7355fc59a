/** User impersonation by the Impersonate-* headers, as sent by `kubectl --as`. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '#platform/kube/meta'
import type { User } from '#platform/kube/ports'
import type { ApiService } from '../api-service.ts'
import type { Target } from '../request/target.ts'

const EXTRA_PREFIX = 'impersonate-extra-'
const AUTHENTICATION_GROUP = 'authentication.k8s.io'

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

interface Impersonation {
  username: string
  uid: string
  groups: readonly string[]
  extra: Readonly<Record<string, readonly string[]>>
}

/** Keys are percent-encoded, because header names allow fewer characters; an invalid escape is kept as is. */
const unescapeKey = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const readImpersonation = ({ headersDistinct }: IncomingMessage): Impersonation => {
  const names = Object.keys(headersDistinct).filter((name) => name.startsWith(EXTRA_PREFIX))
  return {
    username: headersDistinct['impersonate-user']?.[0] ?? '',
    uid: headersDistinct['impersonate-uid']?.[0] ?? '',
    groups: headersDistinct['impersonate-group'] ?? [],
    extra: Object.fromEntries(
      names.map((name) => [unescapeKey(name.slice(EXTRA_PREFIX.length)), headersDistinct[name] ?? []]),
    ),
  }
}

const toTarget = (plural: string, name: string, details: Partial<Target> = {}): Target => ({
  group: '',
  version: 'v1',
  plural,
  subresource: '',
  namespace: '',
  name,
  ...details,
})

/** The targets on which the caller needs the verb `impersonate`. */
const requiredTargets = ({ username, uid, groups, extra }: Impersonation): Target[] => {
  const [, namespace, account] = ACCOUNT.exec(username) ?? []
  return [
    account === undefined
      ? toTarget('users', username)
      : toTarget('serviceaccounts', account, { namespace: namespace! }),
    ...groups.map((group) => toTarget('groups', group)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => toTarget('userextras', value, { group: AUTHENTICATION_GROUP, subresource: key })),
    ),
    ...(uid === '' ? [] : [toTarget('uids', uid, { group: AUTHENTICATION_GROUP })]),
  ]
}

/** A service account without explicit groups gets its implicit ones. */
const groupsOf = ({ username, groups }: Impersonation): string[] => {
  const namespace = ACCOUNT.exec(username)?.[1]
  const requested =
    groups.length > 0 || namespace === undefined
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  const commonGroup = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'
  return requested.includes(commonGroup) ? [...requested] : [...requested, commonGroup]
}

/** Returns the impersonated user, or `user` if the request has no Impersonate-* headers. */
export const impersonate = (service: ApiService, user: User, request: IncomingMessage): User => {
  const impersonation = readImpersonation(request)
  const { username, uid, groups, extra } = impersonation
  if (username === '') {
    if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return user
    throw new ApiError(500, 'InternalError', 'Internal error occurred: impersonation without a user', {})
  }
  for (const needed of requiredTargets(impersonation)) service.authorize(user, 'impersonate', needed)
  return {
    username,
    groups: groupsOf(impersonation),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    impersonator: user,
  }
}
