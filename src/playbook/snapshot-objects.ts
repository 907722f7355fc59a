/** Objects of a system as they are, so that what a playbook does can be taken back. */
import type { ApiObject, KubeApi, ResourceRef } from '../spec/index.ts'

export interface Snapshot {
  readonly namespace: string
  readonly objects: readonly { readonly ref: ResourceRef; readonly object: ApiObject }[]
  readonly nodes: readonly ApiObject[]
}

const of = (apiVersion: string, ...plurals: string[]) => plurals.map((plural) => ({ apiVersion, plural }))

/** What operators change; what controllers make of it follows by itself. */
const COLLECTIONS = [
  ...of('v1', 'configmaps', 'secrets', 'serviceaccounts', 'services', 'resourcequotas', 'limitranges'),
  ...of('apps/v1', 'deployments', 'statefulsets', 'daemonsets'),
  ...of('batch/v1', 'jobs', 'cronjobs'),
  ...of('networking.k8s.io/v1', 'networkpolicies', 'ingresses'),
  ...of('autoscaling/v2', 'horizontalpodautoscalers'),
  ...of('policy/v1', 'poddisruptionbudgets'),
]

/** Kept by a controller, or by the cluster itself. */
const isKept = ({ kind, metadata, type }: ApiObject): boolean =>
  ((metadata.ownerReferences as unknown[] | undefined)?.length ?? 0) > 0 ||
  metadata.deletionTimestamp !== undefined ||
  (kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt') ||
  (kind === 'ServiceAccount' && metadata.name === 'default') ||
  (kind === 'Secret' && type === 'kubernetes.io/service-account-token')

/** Of a list the items have neither, in the API's own answer. */
const withType = (object: ApiObject, ref: ResourceRef, kind: string | undefined): ApiObject => ({
  ...object,
  apiVersion: object.apiVersion ?? ref.apiVersion,
  kind: object.kind ?? kind ?? ref.plural,
})

const list = async (api: KubeApi, ref: ResourceRef): Promise<ApiObject[]> => {
  try {
    return [...(await api.list(ref)).items]
  } catch (error) {
    // A cluster need not have every kind.
    if ((error as { code?: unknown }).code === 404) return []
    throw error
  }
}

const KINDS: Readonly<Record<string, string>> = {
  ...{ configmaps: 'ConfigMap', secrets: 'Secret', serviceaccounts: 'ServiceAccount', services: 'Service' },
  ...{ resourcequotas: 'ResourceQuota', limitranges: 'LimitRange', deployments: 'Deployment' },
  ...{ statefulsets: 'StatefulSet', daemonsets: 'DaemonSet', jobs: 'Job', cronjobs: 'CronJob' },
  ...{ networkpolicies: 'NetworkPolicy', ingresses: 'Ingress', poddisruptionbudgets: 'PodDisruptionBudget' },
  ...{ horizontalpodautoscalers: 'HorizontalPodAutoscaler' },
}

/** With an administrator's rights. */
export const snapshotObjects = async (api: KubeApi, namespace: string): Promise<Snapshot> => {
  const lists = await Promise.all(
    COLLECTIONS.map(async (collection) => {
      const ref = { ...collection, namespace }
      const items = await list(api, ref)
      return items.map((item) => ({ ref, object: withType(item, ref, KINDS[ref.plural]) }))
    }),
  )
  const nodes = await list(api, { apiVersion: 'v1', plural: 'nodes' })
  return { namespace, objects: lists.flat().filter(({ object }) => !isKept(object)), nodes }
}
