/** Creates and deletes the pods of a workload and records the events. */
import type { Pod, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { pods } from '#platform/kube/kinds'
import {
  ApiError,
  controlledBy,
  type Draft,
  isNotFound,
  type KubeObject,
  type Stored,
} from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { messageOf } from '../../message-of.ts'

type Owner = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>

/** Builds a pod from the template, with a generated name. */
export const podFromTemplate = (owner: Owner, template: PodTemplateSpec): Draft<Pod> => {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    metadata: {
      generateName: `${owner.metadata.name}-`,
      ...defined({ namespace: owner.metadata.namespace, labels, annotations, finalizers }),
      ownerReferences: [controlledBy(owner)],
    },
    ...defined({ spec: template.spec }),
  }
}

/** Reports whether a creation failed because the namespace is terminating; retries are pointless then. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true

export interface Created {
  pods: Stored<Pod>[]
  /** The first failure, or undefined if all pods were created. */
  error: unknown
}

/**
 * Creates the pods in batches of 1, 2, 4 ... and stops after the first batch that fails, so that a quota or an invalid
 * template does not cause hundreds of failing requests.
 */
export const createPods = (
  { client, events }: ControllerContext,
  owner: Owner,
  drafts: readonly Draft<Pod>[],
): Created => {
  const created: Stored<Pod>[] = []
  let error: unknown
  for (let start = 0, size = 1; start < drafts.length && error === undefined; start += size, size *= 2) {
    for (const draft of drafts.slice(start, start + size)) {
      try {
        const pod = client.create(pods, draft)
        created.push(pod)
        events.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
      } catch (failure) {
        if (isNamespaceTerminating(failure)) return { pods: created, error: undefined }
        events.record(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(failure)}`)
        error ??= failure
      }
    }
  }
  return { pods: created, error }
}

/** Deletes one pod; does nothing if it no longer exists. */
export const deletePod = ({ client, events }: ControllerContext, owner: Owner, pod: Stored<Pod>): void => {
  try {
    client.delete(pods, pod.metadata.namespace ?? '', pod.metadata.name, {
      preconditions: { uid: pod.metadata.uid },
    })
  } catch (failure) {
    if (isNotFound(failure)) return
    events.record(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(failure)}`)
    throw failure
  }
  events.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
}
