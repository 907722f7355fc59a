/** The kinds of objects that agents can request, with the names that kubectl accepts for them. */
import type { ResourceRef } from '#spec'
import { ActionRefusal } from './define-action.ts'
import { suggestName } from './suggest-name.ts'

export interface KnownKind {
  readonly kind: string
  readonly apiVersion: string
  readonly plural: string
  readonly isNamespaced: boolean
}

/** Kind, API version, plural, short name (`-` if none), and `cluster` for cluster-scoped kinds. */
const TABLE = `
Pod v1 pods po
Deployment apps/v1 deployments deploy
StatefulSet apps/v1 statefulsets sts
DaemonSet apps/v1 daemonsets ds
ReplicaSet apps/v1 replicasets rs
ControllerRevision apps/v1 controllerrevisions -
Service v1 services svc
Endpoints v1 endpoints ep
EndpointSlice discovery.k8s.io/v1 endpointslices -
ConfigMap v1 configmaps cm
Secret v1 secrets -
PersistentVolumeClaim v1 persistentvolumeclaims pvc
PersistentVolume v1 persistentvolumes pv cluster
StorageClass storage.k8s.io/v1 storageclasses sc cluster
ServiceAccount v1 serviceaccounts sa
ResourceQuota v1 resourcequotas quota
LimitRange v1 limitranges limits
HorizontalPodAutoscaler autoscaling/v2 horizontalpodautoscalers hpa
PodDisruptionBudget policy/v1 poddisruptionbudgets pdb
NetworkPolicy networking.k8s.io/v1 networkpolicies netpol
Ingress networking.k8s.io/v1 ingresses ing
Job batch/v1 jobs -
CronJob batch/v1 cronjobs cj
Event v1 events ev
Node v1 nodes no cluster
`

const ROWS = TABLE.trim()
  .split('\n')
  .map((row) => row.split(' '))

export const KNOWN_KINDS: readonly KnownKind[] = ROWS.map(([kind, apiVersion, plural, , scope]) => ({
  kind: kind!,
  apiVersion: apiVersion!,
  plural: plural!,
  isNamespaced: scope !== 'cluster',
}))

const KIND_BY_NAME: ReadonlyMap<string, KnownKind> = new Map(
  ROWS.flatMap(([kind, , plural, short], index) =>
    [kind!, plural!, short!].map((name) => [name.toLowerCase(), KNOWN_KINDS[index]!] as const),
  ),
)

/** Finds a kind by a name such as `Deployment`, `deployments` or `deploy`. Throws `ActionRefusal` if it is unknown. */
export const findKind = (name: string): KnownKind => {
  const normalised = name.trim().toLowerCase().split('.')[0]!
  const kind = KIND_BY_NAME.get(normalised) ?? KIND_BY_NAME.get(`${normalised}s`)
  if (kind !== undefined) return kind
  const names = KNOWN_KINDS.map(({ kind }) => kind)
  throw new ActionRefusal(
    `The kind "${name}" is not supported.${suggestName(name, names)} Supported kinds: ${names.join(', ')}.`,
  )
}

export const refOf = ({ apiVersion, plural, isNamespaced }: KnownKind, namespace: string): ResourceRef => ({
  apiVersion,
  plural,
  ...(isNamespaced ? { namespace } : {}),
})
