/** The user that a service account is to the API. */
import type { User } from '../ports/index.ts'

const PREFIX = 'system:serviceaccount:'

export const serviceAccountUsername = (namespace: string, name: string): string =>
  `${PREFIX}${namespace}:${name}`

export const serviceAccountUser = (namespace: string, name: string, uid: string): User => ({
  username: serviceAccountUsername(namespace, name),
  uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})
