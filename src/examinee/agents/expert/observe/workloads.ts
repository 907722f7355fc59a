/** A view of Deployments and StatefulSets with their current and previous pod templates. */
import { defined } from '#kit'
import { type ApiObject, podTemplateOf, replicasOf, viewAs } from '#spec'
import { annotationsOf, ownerUidsOf, type Template } from './kube-views.ts'

export interface WorkloadView {
  readonly kind: 'Deployment' | 'StatefulSet'
  readonly name: string
  readonly uid: string
  /** The label `app` of its pods, or the name of the workload if they have none. */
  readonly service: string
  readonly replicas: number
  readonly ready: number
  readonly updated: number
  readonly isObserved: boolean
  readonly template: Template
  /** The newest stable revision before the current one, or else the oldest. Absent if there is no earlier revision. */
  readonly previous?: Template
  /** Why its pods cannot be created, such as `pods "x" is forbidden: exceeded quota ...`. */
  readonly creationFailure?: string
  readonly created: number
  readonly object: ApiObject
}

interface Revision {
  readonly number: number
  readonly template: Template
  /** Milliseconds since the epoch; 0 if unknown. */
  readonly created: number
}

const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision'
const HASH_LABEL = 'pod-template-hash'

const removeHashLabel = (template: Template): Template => {
  const { [HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } }
}

const createdAt = ({ metadata }: ApiObject): number =>
  Date.parse(String(metadata.creationTimestamp ?? '')) || 0

const toReplicaSetRevision = (object: ApiObject): Revision => ({
  created: createdAt(object),
  number: Number(annotationsOf(object)[REVISION_ANNOTATION] ?? 0),
  template: removeHashLabel(podTemplateOf(object) as Template),
})

const toControllerRevision = (object: ApiObject): Revision[] => {
  const { spec } = (object.data ?? {}) as { spec?: { template?: Template & { $patch?: string } } }
  if (spec?.template === undefined) return []
  const { $patch: _, ...template } = spec.template
  // Go writes the empty creation time of a template as null.
  const { creationTimestamp: __, ...metadata } = { creationTimestamp: null, ...template.metadata }
  return [
    { number: Number(object.revision ?? 0), template: { ...template, metadata }, created: createdAt(object) },
  ]
}

/** A revision that was replaced sooner is not considered stable. */
const MIN_STABLE_MS = 600_000

/**
 * Returns the newest stable revision before the current one, or the oldest if none was stable. A revision that was created
 * after the current one has been rolled back, and is ignored.
 */
const findPreviousTemplate = (revisions: readonly Revision[], current: number): Template | undefined => {
  const currentCreated = revisions.find(({ number }) => number === current)?.created ?? 0
  const earlier = revisions
    .filter(({ number, created }) => number < current && created <= currentCreated)
    .sort((a, b) => b.number - a.number)
  return (earlier.find(({ created }) => currentCreated - created > MIN_STABLE_MS) ?? earlier.at(-1))?.template
}

const findCreationFailure = (object: ApiObject): string | undefined =>
  viewAs('Deployment', object).status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  )?.message

/** `revisions` may contain ReplicaSets and ControllerRevisions of other workloads. */
export const toWorkloadView = (object: ApiObject, revisions: readonly ApiObject[]): WorkloadView => {
  const status = viewAs('Deployment', object).status ?? {}
  const template = podTemplateOf(object) as Template
  const uid = String(object.metadata.uid ?? '')
  const owned = revisions.filter((candidate) => ownerUidsOf(candidate).includes(uid))
  const history = owned.flatMap((candidate) =>
    candidate.kind === 'ReplicaSet' ? [toReplicaSetRevision(candidate)] : toControllerRevision(candidate),
  )
  const newest = Math.max(0, ...history.map(({ number }) => number))
  const current = Number(annotationsOf(object)[REVISION_ANNOTATION] ?? newest)
  const previous = findPreviousTemplate(history, current)
  const creationFailure = [object, ...owned].map(findCreationFailure).find((value) => value !== undefined)
  return {
    kind: object.kind as WorkloadView['kind'],
    name: object.metadata.name,
    uid,
    service: template.metadata?.labels?.app ?? object.metadata.name,
    replicas: replicasOf(object),
    ready: status.readyReplicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    isObserved: (status.observedGeneration ?? 0) >= Number(object.metadata.generation ?? 0),
    template,
    ...defined({ previous, creationFailure }),
    created: createdAt(object),
    object,
  }
}

/** Returns the first container, which serves requests. */
export const mainContainer = ({ template }: Pick<WorkloadView, 'template'>) => template.spec.containers[0]

/** Whether all desired pods are ready and have the newest template. */
export const isSettled = ({ replicas, ready, updated, isObserved }: WorkloadView): boolean =>
  isObserved && ready >= replicas && updated >= replicas
