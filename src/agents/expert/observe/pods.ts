/** Pods as somebody on call looks at them: whose they are, whether they serve, and what they wait for. */
import type { ApiObject } from '../../../spec/index.ts'
import { labelsOf, type PodSpec, type PodStatus, specOf, statusOf } from './kube-shapes.ts'

export interface PodView {
  readonly name: string
  readonly uid: string
  /** The label `app`. */
  readonly service: string
  readonly node: string | undefined
  readonly phase: string
  readonly ready: boolean
  readonly restarts: number
  /** `ImagePullBackOff: Back-off pulling image ...`, of the first container that waits. */
  readonly waiting?: string
  /** Why a container ended last: `OOMKilled`, `Error`. */
  readonly ended?: string
  /** Why no node takes it. */
  readonly unscheduled?: string
  readonly created: number
  readonly spec: PodSpec
  readonly object: ApiObject
}

const told = ({ reason = '', message = '' }: { reason?: string; message?: string }): string =>
  message === '' ? reason : `${reason}: ${message}`

const isUsual = (reason: string | undefined): boolean =>
  reason === undefined || reason === 'ContainerCreating' || reason === 'PodInitializing'

/** Undefined of those on their way out. */
export const toPodView = (object: ApiObject): PodView | undefined => {
  if (object.metadata.deletionTimestamp !== undefined) return undefined
  const { phase = 'Unknown', conditions = [], containerStatuses = [] } = statusOf<PodStatus>(object)
  const waiting = containerStatuses
    .flatMap(({ state }) => (state?.waiting === undefined ? [] : [state.waiting]))
    .find(({ reason }) => !isUsual(reason))
  const ended = containerStatuses
    .map(({ state, lastState }) => (state?.terminated ?? lastState?.terminated)?.reason)
    .find((reason) => reason !== undefined)
  const placed = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  const spec = specOf<PodSpec>(object)
  return {
    name: object.metadata.name,
    uid: String(object.metadata.uid ?? ''),
    service: labelsOf(object).app ?? object.metadata.name,
    node: spec.nodeName,
    phase,
    ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    restarts: containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    ...(waiting === undefined ? {} : { waiting: told(waiting) }),
    ...(ended === undefined ? {} : { ended }),
    ...(placed === undefined ? {} : { unscheduled: told(placed) }),
    created: Date.parse(String(object.metadata.creationTimestamp ?? '')) || 0,
    spec,
    object,
  }
}

export const isOver = ({ phase }: PodView): boolean => phase === 'Succeeded' || phase === 'Failed'

/** In one phrase, as `kubectl get pods` would have it. */
export const describePod = ({ name, phase, ready, restarts, waiting, unscheduled }: PodView): string => {
  const state = waiting ?? unscheduled ?? phase
  return `${name}: ${state}, ${ready ? 'ready' : 'not ready'}${restarts > 0 ? `, ${restarts} restarts` : ''}`
}
