/** Deployments and StatefulSets with their history: what their pods are made from now, and what they were made from before. */
import type { ApiObject } from '../../../spec/index.ts'
import { annotationsOf, ownersOf, specOf, statusOf, type Template } from './kube-shapes.ts'

export interface WorkloadView {
  readonly kind: 'Deployment' | 'StatefulSet'
  readonly name: string
  readonly uid: string
  /** The label `app` of its pods. */
  readonly service: string
  readonly replicas: number
  readonly ready: number
  readonly updated: number
  readonly observed: boolean
  readonly template: Template
  /** The newest revision before this one; absent where nothing has been rolled out since it was deployed. */
  readonly previous?: Template
  /** Why its pods cannot be made: `pods "x" is forbidden: exceeded quota ...` */
  readonly refused?: string
  readonly created: number
  readonly object: ApiObject
}

interface Revision {
  readonly number: number
  readonly template: Template
  /** Milliseconds since the epoch; 0 where it is not said. */
  readonly created: number
}

const REVISION = 'deployment.kubernetes.io/revision'
const HASH = 'pod-template-hash'

const withoutHash = (template: Template): Template => {
  const { [HASH]: _, ...labels } = template.metadata?.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } }
}

const createdAt = ({ metadata }: ApiObject): number =>
  Date.parse(String(metadata.creationTimestamp ?? '')) || 0

const toReplicaSetRevision = (object: ApiObject): Revision => ({
  created: createdAt(object),
  number: Number(annotationsOf(object)[REVISION] ?? 0),
  template: withoutHash(specOf<{ template: Template }>(object).template),
})

const toControllerRevision = (object: ApiObject): Revision[] => {
  const { spec } = (object.data ?? {}) as { spec?: { template?: Template & { $patch?: string } } }
  if (spec?.template === undefined) return []
  const { $patch: _, ...template } = spec.template
  return [{ number: Number(object.revision ?? 0), template, created: createdAt(object) }]
}

/** Rollouts that came so soon after one another are one piece of work, of which no part can be called proven. */
const ONE_WORK_MS = 600_000

/**
 * The newest revision that had stood for a while when the rollouts began that led here; the first where none had. One that was
 * made later than what runs now is what somebody has gone back from.
 */
const previousOf = (revisions: readonly Revision[], current: number): Template | undefined => {
  const now = revisions.find(({ number }) => number === current)?.created ?? 0
  const earlier = revisions
    .filter(({ number, created }) => number < current && created <= now)
    .sort((one, other) => other.number - one.number)
  return (earlier.find(({ created }) => now - created > ONE_WORK_MS) ?? earlier.at(-1))?.template
}

interface WorkloadStatus {
  readonly readyReplicas?: number
  readonly updatedReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly message?: string
  }[]
}

const refusalOf = ({ conditions = [] }: WorkloadStatus): string | undefined =>
  conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')?.message

/** `revisions`: ReplicaSets and ControllerRevisions, of whomever. */
export const toWorkloadView = (object: ApiObject, revisions: readonly ApiObject[]): WorkloadView => {
  const { replicas = 1, template } = specOf<{ replicas?: number; template: Template }>(object)
  const status = statusOf<WorkloadStatus>(object)
  const uid = String(object.metadata.uid ?? '')
  const owned = revisions.filter((one) => ownersOf(one).includes(uid))
  const history = owned.flatMap((one) =>
    one.kind === 'ReplicaSet' ? [toReplicaSetRevision(one)] : toControllerRevision(one),
  )
  const newest = Math.max(0, ...history.map(({ number }) => number))
  const current = Number(annotationsOf(object)[REVISION] ?? newest)
  const previous = previousOf(history, current)
  const refused =
    refusalOf(status) ?? owned.map((one) => refusalOf(statusOf<WorkloadStatus>(one))).find((one) => one)
  return {
    kind: object.kind as WorkloadView['kind'],
    name: object.metadata.name,
    uid,
    service: template.metadata?.labels?.app ?? object.metadata.name,
    replicas,
    ready: status.readyReplicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    observed: (status.observedGeneration ?? 0) >= Number(object.metadata.generation ?? 0),
    template,
    ...(previous === undefined ? {} : { previous }),
    ...(refused === undefined ? {} : { refused }),
    created: createdAt(object),
    object,
  }
}

/** The container that serves: the first. */
export const mainContainer = ({ template }: Pick<WorkloadView, 'template'>) => template.spec.containers[0]

/** All its pods are there, ready, and of the newest template. */
export const isSettled = ({ replicas, ready, updated, observed }: WorkloadView): boolean =>
  observed && ready >= replicas && updated >= replicas
