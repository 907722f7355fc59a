/** Starts, updates and checks all containers of a pod. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { PodWork } from '../pods/pod-work.ts'
import { type ContainerRecord, createRecord, shouldRun } from './container-record.ts'
import { restartChanged, startContainer } from './start-container.ts'

/** Whether later containers must wait for this one. */
const blocksLaterContainers = ({ role, terminated, activity, started }: ContainerRecord): boolean => {
  if (role === 'init') return terminated?.exitCode !== 0 || activity !== 'idle'
  return role === 'sidecar' && !started
}

/** Starts the containers that are due: init containers and sidecars in order, then all others together. */
export const startContainers = (work: PodWork): void => {
  const hasStarted = work.records.some(({ role, attempt }) => role === 'main' && attempt >= 0)
  for (const record of work.records) {
    if (record.waiting !== record.nextWaiting && record.activity === 'idle') {
      record.waiting = record.nextWaiting
      work.queueReport()
    }
    startContainer(work, record)
    if (!hasStarted && blocksLaterContainers(record)) return
  }
}

/** Whether the pod has completed or failed, and no container will be restarted. */
export const isFinished = ({ records, pod }: PodWork): boolean => {
  const isOver = (record: ContainerRecord): boolean =>
    record.terminated !== undefined &&
    record.activity === 'idle' &&
    !shouldRun(record, pod.spec.restartPolicy)
  const hasFailed = records.some(
    (record) => record.role === 'init' && isOver(record) && record.terminated?.exitCode !== 0,
  )
  return hasFailed || records.filter(({ role }) => role === 'main').every(isOver)
}

/** Applies the mutable fields of a bound pod's spec: images and new ephemeral containers. */
export const updateContainers = (work: PodWork): void => {
  const { spec } = work.pod
  const containers = [...(spec.initContainers ?? []), ...spec.containers]
  for (const record of work.records) {
    const next = containers.find(({ name }) => name === record.spec.name)
    if (next === undefined) continue
    const isChanged = next.image !== record.spec.image
    record.spec = next
    if (isChanged && work.stopping === undefined) restartChanged(work, record)
  }
  for (const container of spec.ephemeralContainers ?? []) {
    if (work.records.some((record) => record.spec.name === container.name)) continue
    work.records.push(createRecord(container as Container, 'ephemeral'))
    work.queueReport()
  }
}
