/** Builds the pods of a Job and interprets their state. */
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { podCondition } from '#platform/kube/kinds'
import { type Draft, fromTime, type Stored } from '#platform/kube/meta'
import { podFromTemplate } from '../ownership/owned-pods.ts'
import { isTerminating } from '../replicas/pod-availability.ts'

/** The finalizer that keeps a pod until the Job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
const INDEX = 'batch.kubernetes.io/job-completion-index'
const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count'
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX'

export const isIndexed = ({ spec }: Stored<Job>): boolean => spec.completionMode === 'Indexed'
export const isTracked = ({ metadata }: Stored<Pod>): boolean =>
  metadata.finalizers?.includes(TRACKING) === true

export const replacesOnlyFailed = ({ spec }: Stored<Job>): boolean => spec.podReplacementPolicy === 'Failed'

/** A terminating pod counts as failed immediately, unless the Job replaces only failed pods. */
export const hasFailed = (job: Stored<Job>, pod: Stored<Pod>): boolean =>
  pod.status.phase === 'Failed' ||
  (!replacesOnlyFailed(job) && isTerminating(pod) && pod.status.phase !== 'Succeeded')

/** Returns the completion index of a pod, or undefined if it is missing or out of range. */
export const indexOf = (job: Stored<Job>, pod: Stored<Pod>): number | undefined => {
  const index = Number.parseInt(pod.metadata.annotations?.[INDEX] ?? '', 10)
  return index >= 0 && index < (job.spec.completions ?? 0) ? index : undefined
}

/** Number of failures of the index before this pod. */
export const earlierFailures = (pod: Stored<Pod>): number =>
  Number.parseInt(pod.metadata.annotations?.[INDEX_FAILURES] ?? '0', 10) || 0

export const finishTime = (pod: Stored<Pod>): number => {
  const finishTimes = (pod.status.containerStatuses ?? []).flatMap(
    ({ state }) => state?.terminated?.finishedAt ?? [],
  )
  if (finishTimes.length > 0) return Math.max(...finishTimes.map(fromTime))
  const ready = podCondition(pod, 'Ready')
  if (ready?.status === 'False' && ready.lastTransitionTime) return fromTime(ready.lastTransitionTime)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata
  // The deletion timestamp is the time of the request plus the grace period.
  return deletionTimestamp === undefined
    ? fromTime(creationTimestamp)
    : fromTime(deletionTimestamp) - deletionGracePeriodSeconds * 1000
}

const withIndexVariable = (container: Container): Container =>
  container.env?.some(({ name }) => name === INDEX_VARIABLE)
    ? container
    : {
        ...container,
        env: [
          ...(container.env ?? []),
          { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } },
        ],
      }

export const jobPod = (job: Stored<Job>): Draft<Pod> => {
  const draft = podFromTemplate(job, job.spec.template)
  const finalizers = (draft.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== TRACKING)
  return { ...draft, metadata: { ...draft.metadata, finalizers: [...finalizers, TRACKING] } }
}

/** Builds the pod of one index, after `failures` failed pods. */
export const indexedPod = (job: Stored<Job>, index: number, failures: number): Draft<Pod> => {
  const draft = jobPod(job)
  const { initContainers, containers = [], ...spec } = job.spec.template.spec ?? { containers: [] }
  const perIndex = job.spec.backoffLimitPerIndex !== undefined
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      generateName: `${job.metadata.name}-${index}-`,
      labels: { ...draft.metadata?.labels, [INDEX]: String(index) },
      annotations: {
        ...draft.metadata?.annotations,
        [INDEX]: String(index),
        ...(perIndex ? { [INDEX_FAILURES]: String(failures) } : {}),
      },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      ...defined({ initContainers: initContainers?.map(withIndexVariable) }),
      containers: containers.map(withIndexVariable),
    },
  }
}
