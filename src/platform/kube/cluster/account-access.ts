/** Access to the API with the rights of a service account, in process. */

import { type AuditEvent, createInProcessApi } from '#platform/kube/api'
import { serviceAccountUser } from '#platform/kube/auth'
import { serviceAccounts } from '#platform/kube/kinds'
import type { User } from '#platform/kube/ports'
import type { ApiWrite, ClusterAccess, ServiceAccountName } from '#spec'
import type { ControlPlane } from './create-control-plane.ts'

type Plane = Pick<ControlPlane, 'service' | 'nodes' | 'audit' | 'resources'>

const MAX_TEXT_CHARACTERS = 300

/** Clients choose these strings, so their length is limited. */
const clip = (text: string): string => text.slice(0, MAX_TEXT_CHARACTERS)

const toWrite = ({ verb, objectRef, responseStatus, userAgent }: AuditEvent): ApiWrite => {
  const { resource, name, subresource, namespace } = objectRef
  const object = [resource, name, subresource].filter((part) => part !== undefined).join('/')
  return {
    verb,
    object: clip(object),
    ...(namespace === undefined ? {} : { namespace: clip(namespace) }),
    code: responseStatus.code,
    client: clip(userAgent),
  }
}

/** The access of a user that is already authenticated. */
export const userAccess = (
  { service, nodes, audit }: Plane,
  user: User,
): Required<Omit<ClusterAccess, 'kubeconfig'>> => ({
  api: createInProcessApi(service, nodes, user),
  followWrites: (listener) =>
    audit.follow((event) => {
      if (event.user.username === user.username) listener(toWrite(event))
    }),
})

/** Throws if the account does not exist. There is no kubeconfig: other processes cannot use this access. */
export const accountAccess = (plane: Plane, { namespace, name }: ServiceAccountName): ClusterAccess => {
  const account = plane.resources.client.get(serviceAccounts, namespace, name)
  if (account === undefined) throw new TypeError(`there is no service account ${namespace}/${name}`)
  return { ...userAccess(plane, serviceAccountUser(namespace, name, account.metadata.uid)), kubeconfig: '' }
}
