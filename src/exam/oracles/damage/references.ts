/** Finds which pod templates refer to an object: a repair may replace a ConfigMap or Secret with one of another name. */
import { type ApiObject, isTerminating, podTemplateOf } from '#spec'
import { isWorkload } from '../objects/readiness.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import type { ObjectSet } from '../view/object-set.ts'
import type { Permissions } from './permissions.ts'
import { isRecordOfChanges } from './tool-records.ts'

/** Fields of a pod template that name another object, and the kind of that object. */
const REFERENCE_FIELDS: Readonly<Record<string, string>> = {
  claimName: 'PersistentVolumeClaim',
  secretName: 'Secret',
  secret: 'Secret',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  serviceAccountName: 'ServiceAccount',
}

/** Whether a part of a pod template names the object. */
export const refersTo = (value: unknown, { kind, metadata }: ApiObject): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([field, inner]) => {
    const name = typeof inner === 'string' ? inner : (inner as { name?: unknown } | null)?.name
    return (
      (REFERENCE_FIELDS[field] === kind && name === metadata.name) ||
      refersTo(inner, { kind, metadata } as ApiObject)
    )
  })
}

/** Workloads of services that may be changed. */
export const changeableWorkloads = (objects: ObjectSet, { services }: Permissions): ApiObject[] =>
  [...objects.values()].filter((object) => isWorkload(object) && services.has(serviceOf(object)))

const CONFIGURATION_KINDS: readonly string[] = ['ConfigMap', 'Secret']

const isReadIn = (workloads: Iterable<ApiObject>, object: ApiObject): boolean =>
  [...workloads].some((workload) => refersTo(podTemplateOf(workload)?.spec, object))

/** The first version of the rules in which a repaired workload may mount a claim with another name than that of the fault. */
const RULES_WITH_NEW_CLAIMS = 7

/**
 * Whether a repaired workload reads the object as configuration now, or mounts it. The content of configuration and the volumes are
 * judged with the pod template; a claim that is not bound keeps its pods from starting.
 */
export const isReadByRepairedWorkload = (
  view: EpisodeFacts,
  permissions: Permissions,
  object: ApiObject,
): boolean => {
  const isClaim = object.kind === 'PersistentVolumeClaim' && view.rules >= RULES_WITH_NEW_CLAIMS
  return (
    (isClaim || CONFIGURATION_KINDS.includes(object.kind)) &&
    isReadIn(changeableWorkloads(view.objects.now, permissions), object)
  )
}

/** Whether a repaired workload read the object before and no workload reads it now: the repair replaced it. */
export const isReplaced = (view: EpisodeFacts, permissions: Permissions, object: ApiObject): boolean =>
  CONFIGURATION_KINDS.includes(object.kind) &&
  isReadIn(changeableWorkloads(view.objects.injected, permissions), object) &&
  !isReadIn(
    [...view.objects.now.values()].filter((workload) => isWorkload(workload) && !isTerminating(workload)),
    object,
  )

/** Whether the object is a tool's record of what it applied (a Helm release, an ApplySet, an inventory), and no pod reads it. */
export const isToolRecord = (view: EpisodeFacts, object: ApiObject): boolean =>
  CONFIGURATION_KINDS.includes(object.kind) &&
  isRecordOfChanges(view, object) &&
  !isReadIn(view.objects.now.values(), object)
