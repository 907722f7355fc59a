/** Finds the pod of a fault, its main container, and the state of its chaos object. */
import {
  type ApiObject,
  containersOf,
  type FaultContext,
  type FaultState,
  isNotFound,
  isReady,
  isTerminating,
  labelsOf,
  viewAs,
} from '#spec'
import { waitUntil } from '../workloads/edit-workload.ts'
import { type ChaosKind, chaosRef, isInjected } from './chaos.ts'
import { podsOf } from './pods-of.ts'

/** The status of the first container, which chaos objects affect by default. */
export const mainStatusOf = (pod: ApiObject) => {
  const [first] = containersOf(pod)
  return viewAs('Pod', pod).status?.containerStatuses?.find(({ name }) => name === first?.name)
}

export const containerIdOf = (pod: ApiObject): string => mainStatusOf(pod)?.containerID ?? ''

/** Waits for a ready pod of the target; in its role, if the target names one. */
export const waitForReadyPod = async (context: FaultContext): Promise<ApiObject> => {
  const { service, role } = context.target
  let found: ApiObject | undefined
  await waitUntil(context, `a pod of ${service} is ready`, async () => {
    found = (await podsOf(context, service)).find(
      (pod) => isReady(pod) && (role === undefined || labelsOf(pod).role === role),
    )
    return found !== undefined
  })
  return found!
}

/** The injected pod, identified by its UID: a StatefulSet reuses names. Undefined if it is gone or terminating. */
export const findInjectedPod = async (
  { api, system }: FaultContext,
  state: FaultState,
): Promise<ApiObject | undefined> => {
  const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name: String(state.pod) }
  const pod = await api.get(ref).catch((error) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return pod !== undefined && pod.metadata.uid === state.uid && !isTerminating(pod) ? pod : undefined
}

/** Whether the injected pod exists and its main container runs. */
export const isContainerRunning = async (context: FaultContext, state: FaultState): Promise<boolean> => {
  const pod = await findInjectedPod(context, state)
  return pod !== undefined && mainStatusOf(pod)?.state?.running !== undefined
}

/** Whether a chaos object is injected and not terminating. */
export const isObjectActive = (chaos: ApiObject): boolean => isInjected(chaos) && !isTerminating(chaos)

export const isChaosActive = (context: FaultContext, kind: ChaosKind, name: string): Promise<boolean> =>
  context.api.get(chaosRef(context.laboratory, kind, name)).then(isObjectActive, (error) => {
    if (isNotFound(error)) return false
    throw error
  })
