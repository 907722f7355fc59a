/** What was added and left: nothing but what a right fix may add. Jobs and pods are not among it: they may still come to an end. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, Damage } from '../../spec/index.ts'
import { isWork } from '../added-work.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { isGoing } from '../intent.ts'
import { isControlled } from '../is-controlled.ts'
import { isFollowed } from '../is-followed.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload } from '../readiness.ts'
import { serviceOf, templateOf } from '../workload-template.ts'

type Fields = Readonly<Record<string, unknown>>

const ASKED_FOR: Readonly<Record<string, string>> = {
  claimName: 'PersistentVolumeClaim',
  secretName: 'Secret',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  serviceAccountName: 'ServiceAccount',
}

/** Whether a pod template names the object, wherever that may be. */
const asksFor = (value: unknown, { kind, metadata }: ApiObject): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([field, inner]) => {
    const name = typeof inner === 'string' ? inner : (inner as { name?: unknown } | null)?.name
    return (
      (ASKED_FOR[field] === kind && name === metadata.name) || asksFor(inner, { kind, metadata } as ApiObject)
    )
  })
}

/** As the fault has left them, of the services that may be changed. */
const brokenWorkloads = ({ objects }: EpisodeFacts, { services }: Permissions): ApiObject[] =>
  [...objects.injected.values()].filter((one) => isWorkload(one) && services.has(serviceOf(one)))

/** A StatefulSet that has grown has claims for its new pods. */
const isClaimOf = (workload: ApiObject, { kind, metadata }: ApiObject): boolean => {
  const { volumeClaimTemplates = [] } = workload.spec as {
    volumeClaimTemplates?: { metadata: { name: string } }[]
  }
  return (
    kind === 'PersistentVolumeClaim' &&
    volumeClaimTemplates.some((one) =>
      metadata.name.startsWith(`${one.metadata.name}-${workload.metadata.name}-`),
    )
  )
}

/** An autoscaler over a service that has too little to serve with. */
const isGrowth = (workload: ApiObject, { services }: Permissions, { kind, spec }: ApiObject): boolean => {
  const { scaleTargetRef: to } = (spec ?? {}) as { scaleTargetRef?: { kind: string; name: string } }
  return (
    kind === 'HorizontalPodAutoscaler' &&
    services.get(serviceOf(workload))?.growth === true &&
    to?.kind === workload.kind &&
    to.name === workload.metadata.name
  )
}

/** A policy that lets in beside the fault's that does not: policies add up. */
const isCounterPolicy = ({ objects }: EpisodeFacts, { kind, spec }: ApiObject): boolean => {
  const { podSelector, policyTypes } = (spec ?? {}) as Fields
  return (
    kind === 'NetworkPolicy' &&
    [...objects.injected].some(([key, one]) => {
      const policy = (one.spec ?? {}) as Fields
      return (
        one.kind === kind &&
        !objects.baseline.has(key) &&
        isDeepStrictEqual([policy.podSelector, policy.policyTypes], [podSelector, policyTypes])
      )
    })
  )
}

const mayBeAdded = (view: EpisodeFacts, permissions: Permissions, object: ApiObject): boolean =>
  isCounterPolicy(view, object) ||
  (object.kind === 'PersistentVolume' && (object.spec as Fields | undefined)?.claimRef !== undefined) ||
  brokenWorkloads(view, permissions).some(
    (workload) =>
      asksFor(templateOf(workload).spec, object) ||
      isClaimOf(workload, object) ||
      isGrowth(workload, permissions, object),
  )

export const toAddition = ({ kind, metadata }: ApiObject): Damage => ({
  object: `${kind}/${metadata.name}`,
  what: 'was added and left',
})

export const additionDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { now, baseline, injected } = view.objects
  return (
    [...now]
      .filter(([key]) => !baseline.has(key) && !injected.has(key))
      .map(([, object]) => object)
      // All that faults which come and go bring in again; whether it is the laboratory's is judged by rules of its own.
      .filter((object) => !object.apiVersion.startsWith('chaos-mesh.org/'))
      .filter((object) => !isGoing(object) && !isControlled(object) && !isWork(object))
      .filter((object) => !isFollowed(object, (key) => now.get(key)))
      .filter((object) => !mayBeAdded(view, permissions, object))
      .map(toAddition)
  )
}
