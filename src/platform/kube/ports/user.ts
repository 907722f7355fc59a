/** The authenticated user of a request. */

export interface User {
  username: string
  uid?: string
  groups: readonly string[]
  extra?: Readonly<Record<string, readonly string[]>>
  /** The user who impersonates this one, if any. */
  impersonator?: User
}

/** The uid of the cluster's owner. No client credentials or impersonation can obtain it. */
export const OWNER_UID = 'engine'

/** Storage limits do not apply to the owner, who must be able to recover a full cluster. */
export const isOwner = ({ uid, impersonator }: User): boolean =>
  uid === OWNER_UID && impersonator === undefined

/** Returns the user of a cluster component: a service account of kube-system. */
export const systemAccount = (name: string): User => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
})
