/** Checks the object to which a requested token is bound. */
import { type Kind, nodes, pods, secrets } from '#platform/kube/kinds'
import { badRequest, conflict, notFound } from '#platform/kube/meta'
import type { Core } from '#platform/kube/resources'

export interface ObjectReference {
  kind: string
  apiVersion: string
  name: string
  uid?: string
}

const BINDABLE_KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['Pod', pods],
  ['Secret', secrets],
  ['Node', nodes],
])

/**
 * Returns the reference with its uid. Throws if tokens cannot be bound to its kind, if the object is missing or was
 * recreated, or if it is a pod of another account.
 */
export const checkBoundObject = (
  core: Core,
  account: { namespace: string; name: string },
  reference: ObjectReference,
): ObjectReference & { uid: string } => {
  const kind = reference.apiVersion === 'v1' ? BINDABLE_KINDS.get(reference.kind) : undefined
  if (kind === undefined) {
    const version = reference.apiVersion.includes('/') ? reference.apiVersion : `/${reference.apiVersion}`
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${reference.kind}`)
  }
  const object = core.store.get(kind.id, kind.namespaced ? account.namespace : '', reference.name)
  if (object === undefined) throw notFound(kind, reference.name)
  const { uid } = object.metadata
  if (reference.uid !== undefined && reference.uid !== '' && reference.uid !== uid) {
    throw conflict(
      kind,
      reference.name,
      `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  if (kind === pods && object.spec.serviceAccountName !== account.name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account.name}" to pod running with different serviceaccount name.`,
    )
  }
  return { ...reference, uid }
}
