/** The revisions of a Deployment, which are its ReplicaSets. */
import { defined } from '#kit'
import { type ApiObject, ownersOf, UnsupportedCommand } from '#spec'
import type { Found } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'

export const REVISION = 'deployment.kubernetes.io/revision'

export const revisionOf = (object: ApiObject): number =>
  Number((object.metadata.annotations as Record<string, string> | undefined)?.[REVISION] ?? 0)

export const requireDeployment = ({ type }: Found, action: string): void => {
  if (type.kind !== 'Deployment') throw new UnsupportedCommand(`kubectl rollout ${action} of a ${type.kind}`)
}

/** The ReplicaSets of a Deployment, by revision. */
export const listRevisions = async (
  { program }: KubectlCall,
  { object }: Found,
): Promise<Map<number, ApiObject>> => {
  const { namespace, uid } = object.metadata
  const { items } = await program.api.list({
    apiVersion: 'apps/v1',
    plural: 'replicasets',
    ...defined({ namespace }),
  })
  const owned = items.filter((each) => ownersOf(each).some((owner) => owner.uid === uid))
  return new Map(owned.map((each) => [revisionOf(each), each] as const).sort(([a], [b]) => a - b))
}
