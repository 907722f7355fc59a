/** Lets who may do so act as somebody else: the Impersonate-* headers, kubectl's `--as`. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../meta/index.ts'
import type { User } from '../ports/index.ts'
import type { ApiService } from './api-service.ts'
import type { Target } from './target.ts'

const EXTRA = 'impersonate-extra-'
const AUTHENTICATION = 'authentication.k8s.io'

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

interface Wish {
  username: string
  uid: string
  groups: readonly string[]
  extra: Readonly<Record<string, readonly string[]>>
}

/** Keys may be escaped, because header names know fewer letters; what is no escape stands for itself. */
const unescaped = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const wishOf = ({ headersDistinct }: IncomingMessage): Wish => {
  const names = Object.keys(headersDistinct).filter((name) => name.startsWith(EXTRA))
  return {
    username: headersDistinct['impersonate-user']?.[0] ?? '',
    uid: headersDistinct['impersonate-uid']?.[0] ?? '',
    groups: headersDistinct['impersonate-group'] ?? [],
    extra: Object.fromEntries(
      names.map((name) => [unescaped(name.slice(EXTRA.length)), headersDistinct[name] ?? []]),
    ),
  }
}

const target = (plural: string, name: string, more: Partial<Target> = {}): Target => ({
  group: '',
  version: 'v1',
  plural,
  subresource: '',
  namespace: '',
  name,
  ...more,
})

/** What a user needs the verb `impersonate` for. */
const neededFor = ({ username, uid, groups, extra }: Wish): Target[] => {
  const [, namespace, account] = ACCOUNT.exec(username) ?? []
  return [
    account === undefined
      ? target('users', username)
      : target('serviceaccounts', account, { namespace: namespace! }),
    ...groups.map((group) => target('groups', group)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => target('userextras', value, { group: AUTHENTICATION, subresource: key })),
    ),
    ...(uid === '' ? [] : [target('uids', uid, { group: AUTHENTICATION })]),
  ]
}

/** Without groups of its own choice, an account has those it always has. */
const groupsOf = ({ username, groups }: Wish): string[] => {
  const namespace = ACCOUNT.exec(username)?.[1]
  const chosen =
    groups.length > 0 || namespace === undefined
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  const all = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'
  return chosen.includes(all) ? [...chosen] : [...chosen, all]
}

/** The user as whom the request is to be done: the one who asks, unless it says otherwise. */
export const impersonate = (service: ApiService, user: User, request: IncomingMessage): User => {
  const wish = wishOf(request)
  const { username, uid, groups, extra } = wish
  if (username === '') {
    if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return user
    throw new ApiError(500, 'InternalError', 'Internal error occurred: impersonation without a user', {})
  }
  for (const needed of neededFor(wish)) service.authorize(user, 'impersonate', needed)
  return {
    username,
    groups: groupsOf(wish),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    impersonator: user,
  }
}
