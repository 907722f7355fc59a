/** Checks whether a rollout has ended, with the messages of kubectl rollout status. */
import type { ApiObject } from '#spec'
import { KubectlError } from '../client/kubectl-error.ts'

export interface RolloutState {
  readonly message: string
  readonly isDone: boolean
}

type Fields = Record<string, any>

const deploymentState = ({ metadata, spec, status }: Fields): RolloutState => {
  const { name } = metadata
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0))
    return { message: 'Waiting for deployment spec update to be observed...', isDone: false }
  const progressing = (status.conditions ?? []).find(({ type }: { type: string }) => type === 'Progressing')
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    throw new KubectlError(`error: deployment "${name}" exceeded its progress deadline`)
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status
  const waiting = (detail: string): RolloutState => ({
    message: `Waiting for deployment "${name}" rollout to finish: ${detail}`,
    isDone: false,
  })
  if (spec.replicas !== undefined && updatedReplicas < spec.replicas)
    return waiting(`${updatedReplicas} out of ${spec.replicas} new replicas have been updated...`)
  if (replicas > updatedReplicas)
    return waiting(`${replicas - updatedReplicas} old replicas are pending termination...`)
  if (availableReplicas < updatedReplicas)
    return waiting(`${availableReplicas} of ${updatedReplicas} updated replicas are available...`)
  return { message: `deployment "${name}" successfully rolled out`, isDone: true }
}

const daemonSetState = ({ metadata, spec, status }: Fields): RolloutState => {
  const { name } = metadata
  if (spec.updateStrategy?.type !== 'RollingUpdate')
    throw new KubectlError('error: rollout status is only available for RollingUpdate strategy type')
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0))
    return { message: 'Waiting for daemon set spec update to be observed...', isDone: false }
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status
  if (updatedNumberScheduled < desiredNumberScheduled)
    return {
      message: `Waiting for daemon set "${name}" rollout to finish: ${updatedNumberScheduled} out of ${desiredNumberScheduled} new pods have been updated...`,
      isDone: false,
    }
  if (numberAvailable < desiredNumberScheduled)
    return {
      message: `Waiting for daemon set "${name}" rollout to finish: ${numberAvailable} of ${desiredNumberScheduled} updated pods are available...`,
      isDone: false,
    }
  return { message: `daemon set "${name}" successfully rolled out`, isDone: true }
}

const statefulSetState = ({ metadata, spec, status }: Fields): RolloutState => {
  if (spec.updateStrategy?.type !== 'RollingUpdate')
    throw new KubectlError('error: rollout status is only available for RollingUpdate strategy type')
  if ((status.observedGeneration ?? 0) === 0 || (metadata.generation ?? 0) > status.observedGeneration)
    return { message: 'Waiting for statefulset spec update to be observed...', isDone: false }
  const {
    readyReplicas = 0,
    updatedReplicas = 0,
    currentRevision,
    updateRevision,
    currentReplicas = 0,
  } = status
  if (spec.replicas !== undefined && readyReplicas < spec.replicas)
    return { message: `Waiting for ${spec.replicas - readyReplicas} pods to be ready...`, isDone: false }
  const partition = spec.updateStrategy.rollingUpdate?.partition
  if (spec.replicas !== undefined && partition !== undefined && partition > 0) {
    if (updatedReplicas < spec.replicas - partition)
      return {
        message: `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${spec.replicas - partition} new pods have been updated...`,
        isDone: false,
      }
    return {
      message: `partitioned roll out complete: ${updatedReplicas} new pods have been updated...`,
      isDone: true,
    }
  }
  if (updateRevision !== currentRevision)
    return {
      message: `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...`,
      isDone: false,
    }
  return {
    message: `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...`,
    isDone: true,
  }
}

const STATES: Readonly<Record<string, (object: Fields) => RolloutState>> = {
  Deployment: deploymentState,
  DaemonSet: daemonSetState,
  StatefulSet: statefulSetState,
}

export const rolloutState = (object: ApiObject): RolloutState => {
  const state = STATES[object.kind]
  if (state === undefined)
    throw new KubectlError(`error: no status viewer has been implemented for ${object.kind}`)
  return state({ ...object, status: object.status ?? {} })
}
