/** A view of pods: their service, whether they are ready, and why not. */
import { defined } from '#kit'
import { type ApiObject, isReady, isTerminating, labelsOf, type PodSpecView, viewAs } from '#spec'

export interface PodView {
  readonly name: string
  readonly uid: string
  /** The label `app`, or the name of the pod if it has none. */
  readonly service: string
  readonly node: string | undefined
  readonly phase: string
  readonly isReady: boolean
  readonly restarts: number
  /** Why a container is waiting, such as `ImagePullBackOff: Back-off pulling image ...`. */
  readonly waitingReason?: string
  /** Why a container terminated last, such as `OOMKilled` or `Error`. */
  readonly terminationReason?: string
  /** Why the pod cannot be scheduled. */
  readonly schedulingFailure?: string
  readonly created: number
  readonly spec: PodSpecView
  readonly object: ApiObject
}

const formatReason = ({ reason = '', message = '' }: { reason?: string; message?: string }): string =>
  message === '' ? reason : `${reason}: ${message}`

const isStarting = (reason: string | undefined): boolean =>
  reason === undefined || reason === 'ContainerCreating' || reason === 'PodInitializing'

/** Returns undefined for a pod that is being deleted. */
export const toPodView = (object: ApiObject): PodView | undefined => {
  if (isTerminating(object)) return undefined
  const { spec = { containers: [] }, status = {} } = viewAs('Pod', object)
  const { phase = 'Unknown', conditions = [], containerStatuses = [] } = status
  const waiting = containerStatuses
    .flatMap(({ state }) => (state?.waiting === undefined ? [] : [state.waiting]))
    .find(({ reason }) => !isStarting(reason))
  const terminationReason = containerStatuses
    .map(({ state, lastState }) => (state?.terminated ?? lastState?.terminated)?.reason)
    .find((reason) => reason !== undefined)
  const unscheduled = conditions.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  )
  return {
    name: object.metadata.name,
    uid: String(object.metadata.uid ?? ''),
    service: labelsOf(object).app ?? object.metadata.name,
    node: spec.nodeName,
    phase,
    isReady: isReady(object),
    restarts: containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    ...defined({
      waitingReason: waiting && formatReason(waiting),
      terminationReason: terminationReason,
      schedulingFailure: unscheduled && formatReason(unscheduled),
    }),
    created: Date.parse(String(object.metadata.creationTimestamp ?? '')) || 0,
    spec,
    object,
  }
}

export const isFinished = ({ phase }: PodView): boolean => phase === 'Succeeded' || phase === 'Failed'

/** Returns `cart-abc: CrashLoopBackOff, not ready, 3 restarts`. */
export const describePod = ({
  name,
  phase,
  isReady,
  restarts,
  waitingReason,
  schedulingFailure,
}: PodView): string => {
  const state = waitingReason ?? schedulingFailure ?? phase
  return `${name}: ${state}, ${isReady ? 'ready' : 'not ready'}${restarts > 0 ? `, ${restarts} restarts` : ''}`
}
