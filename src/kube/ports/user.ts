/** Who makes a request, as authentication found out. */

export interface User {
  username: string
  uid?: string
  groups: readonly string[]
  extra?: Readonly<Record<string, readonly string[]>>
  /** Who it really is, where somebody acts as this user. */
  impersonator?: User
}

/** The user of a part of the cluster itself: a service account of kube-system. */
export const systemAccount = (name: string): User => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
})
