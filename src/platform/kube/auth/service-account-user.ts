/** The API user of a service account. */
import type { User } from '#platform/kube/ports'

const PREFIX = 'system:serviceaccount:'

export const serviceAccountUsername = (namespace: string, name: string): string =>
  `${PREFIX}${namespace}:${name}`

export const serviceAccountUser = (namespace: string, name: string, uid: string): User => ({
  username: serviceAccountUsername(namespace, name),
  uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})
