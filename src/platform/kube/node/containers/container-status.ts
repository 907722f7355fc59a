/** Derives the status of one container from its record. */
import type { ContainerState, ContainerStatus, VolumeMountStatus } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { toTime } from '#platform/kube/meta'
import type { ContainerRecord } from './container-record.ts'

const mountsOf = ({ spec }: ContainerRecord): VolumeMountStatus[] =>
  (spec.volumeMounts ?? []).map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
    name,
    mountPath,
    ...(readOnly === true ? { readOnly, recursiveReadOnly: recursiveReadOnly ?? 'Disabled' } : {}),
  }))

const statesOf = (
  record: ContainerRecord,
  defaultReason: string,
): { state: ContainerState; lastState: ContainerState } => {
  const { startedAt, waiting, terminated, previous } = record
  const lastExit = defined({ terminated })
  if (startedAt !== undefined)
    return { state: { running: { startedAt: toTime(startedAt) } }, lastState: lastExit }
  if (waiting !== undefined) return { state: { waiting }, lastState: lastExit }
  if (terminated !== undefined) return { state: { terminated }, lastState: defined({ terminated: previous }) }
  return { state: { waiting: { reason: defaultReason } }, lastState: {} }
}

/** `defaultReason` is the reason for containers that have not been started: ContainerCreating or PodInitializing. */
export const containerStatus = (record: ContainerRecord, defaultReason: string): ContainerStatus => {
  const { spec, instance, attempt, started, ready } = record
  const mounts = mountsOf(record)
  return {
    name: spec.name,
    ...statesOf(record, defaultReason),
    ready,
    restartCount: Math.max(0, attempt),
    image: instance?.image ?? spec.image ?? '',
    imageID: instance?.imageId ?? '',
    ...defined({ containerID: instance?.id }),
    started,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  }
}
