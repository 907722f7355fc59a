/** The kinds of objects that agents can ask for, by all the names that kubectl knows them by. */
import { nearestName } from '../kit/index.ts'
import type { ResourceRef } from '../spec/index.ts'
import { ActionRefusal } from './define-action.ts'

export interface KnownKind {
  readonly kind: string
  readonly apiVersion: string
  readonly plural: string
  readonly isNamespaced: boolean
}

/** Kind, API version, plural, short name; those without a namespace say so. */
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

export const KNOWN_KINDS: readonly KnownKind[] = ROWS.map(([kind, apiVersion, plural, , place]) => ({
  kind: kind!,
  apiVersion: apiVersion!,
  plural: plural!,
  isNamespaced: place !== 'cluster',
}))

const BY_NAME: ReadonlyMap<string, KnownKind> = new Map(
  ROWS.flatMap(([kind, , plural, short], index) =>
    [kind!, plural!, short!].map((name) => [name.toLowerCase(), KNOWN_KINDS[index]!] as const),
  ),
)

/** Of `Deployment`, `deployments` or `deploy`; refuses what is none of them. */
export const findKind = (name: string): KnownKind => {
  const given = name.trim().toLowerCase().split('.')[0]!
  const found = BY_NAME.get(given) ?? BY_NAME.get(`${given}s`)
  if (found !== undefined) return found
  const names = KNOWN_KINDS.map(({ kind }) => kind)
  const near = nearestName(name, names)
  throw new ActionRefusal(
    `The kind "${name}" cannot be asked for${near === undefined ? '' : `; did you mean ${near}`}. Kinds are: ${names.join(', ')}.`,
  )
}

export const refOf = ({ apiVersion, plural, isNamespaced }: KnownKind, namespace: string): ResourceRef => ({
  apiVersion,
  plural,
  ...(isNamespaced ? { namespace } : {}),
})
