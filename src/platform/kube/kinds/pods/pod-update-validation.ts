/** Validates updates of a pod. Most of its spec is immutable. */
import type { Container, ContainerStatus, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { type FieldError, forbiddenField, invalid, invalidObject, type Stored } from '#platform/kube/meta'
import { goDiff } from '../validation/go-diff.ts'
import { isSidecar } from './pod-resources.ts'
import { validateAddedTolerations, validateRemovedGates } from './scheduling-validation.ts'

const MAX_INT32 = 2 ** 31 - 1
const MUTABLE_FIELDS = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

const withImagesOf = (
  updated: readonly Container[] | undefined,
  old: readonly Container[] | undefined,
): Container[] | undefined =>
  updated?.map((container, index) => {
    const image = old?.[index]?.image
    return image === undefined ? container : { ...container, image }
  })

/** Returns the new spec with all allowed changes reverted. Any remaining difference is forbidden. */
const withoutAllowedChanges = (updated: PodSpec, old: PodSpec): PodSpec => {
  const spec: Record<string, unknown> = {
    ...updated,
    containers: withImagesOf(updated.containers, old.containers),
    initContainers: withImagesOf(updated.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ephemeralContainers: old.ephemeralContainers,
  }
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && updated.terminationGracePeriodSeconds === 1)
    spec.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds
  // The node selection of a gated pod may change.
  if ((old.schedulingGates ?? []).length > 0) {
    spec.nodeSelector = old.nodeSelector
    spec.affinity = updated.affinity && { ...updated.affinity, nodeAffinity: old.affinity?.nodeAffinity }
  }
  return defined(spec) as unknown as PodSpec
}

const validateDeadlineChange = (updated: number | undefined, old: number | undefined): FieldError[] => {
  const field = 'spec.activeDeadlineSeconds'
  if (updated === undefined)
    return old === undefined
      ? []
      : [invalid(field, null, 'must not update from a positive integer to nil value')]
  if (updated < 0 || updated > MAX_INT32)
    return [invalid(field, updated, `must be between 0 and ${MAX_INT32}, inclusive`)]
  return old !== undefined && old < updated
    ? [invalid(field, updated, 'must be less than or equal to previous value')]
    : []
}

const specChangeError = (old: PodSpec, updated: PodSpec): FieldError =>
  forbiddenField(
    'spec',
    `pod updates may not change fields other than ${MUTABLE_FIELDS}\n${goDiff('core.PodSpec', old, updated)}`,
  )

/** The `ephemeralcontainers` subresource may add containers, but not change or remove them. */
const validateEphemeralChange = (updated: PodSpec, old: PodSpec): FieldError[] =>
  (old.ephemeralContainers ?? []).flatMap((container) => {
    const match = updated.ephemeralContainers?.find(({ name }) => name === container.name)
    if (match !== undefined && deepEqual(match, container)) return []
    const change = match === undefined ? 'removed' : 'changed'
    return [
      forbiddenField(
        'spec.ephemeralContainers',
        `existing ephemeral containers ${JSON.stringify(container.name)} may not be ${change}\n`,
      ),
    ]
  })

/** Throws ApiError 422 if an update of the pod changes its ephemeral containers. */
export const rejectEphemeralChange = (updated: Stored<Pod>, old: Stored<Pod>): void => {
  if (!deepEqual(updated.spec.ephemeralContainers, old.spec.ephemeralContainers))
    throw invalidObject('', 'Pod', old.metadata.name, [specChangeError(old.spec, updated.spec)])
}

export const validatePodChange = (updated: PodSpec, old: PodSpec): FieldError[] => {
  for (const list of ['containers', 'initContainers'] as const) {
    if ((updated[list] ?? []).length !== (old[list] ?? []).length)
      return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')]
  }
  const errors = [
    ...validateDeadlineChange(updated.activeDeadlineSeconds, old.activeDeadlineSeconds),
    ...validateAddedTolerations(updated.tolerations ?? [], old.tolerations ?? [], 'spec.tolerations'),
    ...validateRemovedGates(updated.schedulingGates ?? [], old.schedulingGates ?? [], 'spec.schedulingGates'),
    ...validateEphemeralChange(updated, old),
  ]
  const remaining = withoutAllowedChanges(updated, old)
  return deepEqual(remaining, old) ? errors : [...errors, specChangeError(old, remaining)]
}

const validateTransitions = (
  updated: readonly ContainerStatus[] | undefined,
  old: readonly ContainerStatus[] | undefined,
  mayRestart: (status: ContainerStatus) => boolean,
  field: string,
): FieldError[] =>
  (old ?? []).flatMap((status, index) =>
    status.state?.terminated !== undefined &&
    !mayRestart(status) &&
    updated?.some(({ name, state }) => name === status.name && state?.terminated === undefined)
      ? [forbiddenField(`${field}[${index}].state`, 'may not be transitioned to non-terminated state')]
      : [],
  )

/** Rejects restarts of containers that have terminated for good. */
export const validatePodStatusChange = (updated: Stored<Pod>, old: Stored<Pod>): FieldError[] => {
  const { restartPolicy, initContainers = [] } = old.spec
  const mayRestart = (status: ContainerStatus): boolean =>
    restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && status.state?.terminated?.exitCode !== 0)
  const initMayRestart = (status: ContainerStatus): boolean =>
    mayRestart(status) ||
    initContainers.some((container) => container.name === status.name && isSidecar(container))
  return [
    ...((updated.status.qosClass ?? old.status.qosClass) === old.status.qosClass
      ? []
      : [invalid('status.qosClass', updated.status.qosClass ?? '', 'field is immutable')]),
    ...validateTransitions(
      updated.status.containerStatuses,
      old.status.containerStatuses,
      mayRestart,
      'status.containerStatuses',
    ),
    ...validateTransitions(
      updated.status.initContainerStatuses,
      old.status.initContainerStatuses,
      initMayRestart,
      'status.initContainerStatuses',
    ),
  ]
}
