/** The identity of a pod in a StatefulSet: ordinal, name, host name, labels and claims. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import type { Draft, Stored } from '#platform/kube/meta'
import { podFromTemplate } from '../ownership/owned-pods.ts'

const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'
export const REVISION_HASH = 'controller-revision-hash'

export const firstOrdinal = ({ spec }: Stored<StatefulSet>): number => spec.ordinals?.start ?? 0
export const replicasOf = ({ spec }: Stored<StatefulSet>): number => spec.replicas ?? 1
export const podName = (set: Stored<StatefulSet>, ordinal: number): string =>
  `${set.metadata.name}-${ordinal}`

/** Parses the ordinal from a pod's name; undefined if the name does not belong to the set. */
export const ordinalOf = (
  set: Stored<StatefulSet>,
  pod: { metadata: { name: string } },
): number | undefined => {
  const match = /^(.*)-(\d+)$/.exec(pod.metadata.name)
  return match?.[1] === set.metadata.name ? Number(match[2]) : undefined
}

export const isInRange = (set: Stored<StatefulSet>, ordinal: number): boolean =>
  ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + replicasOf(set)

export const revisionNameOf = (pod: Stored<Pod>): string | undefined => pod.metadata.labels?.[REVISION_HASH]

const identityLabels = (set: Stored<StatefulSet>, ordinal: number): Record<string, string> => ({
  [POD_NAME]: podName(set, ordinal),
  [POD_INDEX]: String(ordinal),
})

const claimName = (template: PersistentVolumeClaim, set: Stored<StatefulSet>, ordinal: number): string =>
  `${template.metadata?.name}-${podName(set, ordinal)}`

/** Builds the claims of one pod from the set's templates. */
export const claimsFor = (set: Stored<StatefulSet>, ordinal: number): Draft<PersistentVolumeClaim>[] =>
  (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const annotations = template.metadata?.annotations
    return {
      metadata: {
        name: claimName(template, set, ordinal),
        ...defined({ namespace: set.metadata.namespace }),
        labels: { ...template.metadata?.labels, ...set.spec.selector.matchLabels },
        ...defined({ annotations }),
      },
      ...defined({ spec: template.spec }),
    }
  })

/** Puts the claims before the pod's volumes; a claim replaces a volume of the same name. */
const volumesWith = (
  set: Stored<StatefulSet>,
  ordinal: number,
  volumes: NonNullable<NonNullable<Pod['spec']>['volumes']>,
): typeof volumes => {
  const templates = set.spec.volumeClaimTemplates ?? []
  const names = new Set(templates.map(({ metadata }) => metadata?.name))
  return [
    ...templates.map((template) => ({
      name: template.metadata?.name ?? '',
      persistentVolumeClaim: { claimName: claimName(template, set, ordinal) },
    })),
    ...volumes.filter(({ name }) => !names.has(name)),
  ]
}

/** Builds the pod of an ordinal from the template of a revision. */
export const buildPod = (
  set: Stored<StatefulSet>,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Draft<Pod> => {
  const draft = podFromTemplate(set, template)
  const spec = template.spec ?? { containers: [] }
  const volumes = volumesWith(set, ordinal, spec.volumes ?? [])
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      name: podName(set, ordinal),
      labels: { ...draft.metadata?.labels, ...identityLabels(set, ordinal), [REVISION_HASH]: revision },
    },
    spec: {
      ...spec,
      hostname: podName(set, ordinal),
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  }
}

/** Restores missing identity labels; returns undefined if the pod has them all. */
export const withIdentity = (
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
  ordinal: number,
): Stored<Pod> | undefined => {
  const desired = identityLabels(set, ordinal)
  if (Object.entries(desired).every(([key, value]) => pod.metadata.labels?.[key] === value)) return undefined
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...desired } } }
}
