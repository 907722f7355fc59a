/** Who makes a request, as authentication found out. */

export interface User {
  username: string
  uid?: string
  groups: readonly string[]
  extra?: Readonly<Record<string, readonly string[]>>
  /** Who it really is, where somebody acts as this user. */
  impersonator?: User
}

/** Of whoever runs the cluster: by no credentials does a client get it, whatever it says of itself. */
export const OWNER_UID = 'engine'

/** He may store what he needs where nobody else may store more: it is he who can bring a full cluster back. */
export const isOwner = ({ uid, impersonator }: User): boolean =>
  uid === OWNER_UID && impersonator === undefined

/** The user of a part of the cluster itself: a service account of kube-system. */
export const systemAccount = (name: string): User => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
})
