/** What is to be done with all the containers of a pod, taken together. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { type ContainerRecord, createRecord, shouldRun } from './container-record.ts'
import type { PodWork } from './pod-work.ts'
import { restartChanged, startContainer } from './start-container.ts'

/** Whether the containers after this one must still wait for it. */
const blocks = ({ role, terminated, activity, started }: ContainerRecord): boolean => {
  if (role === 'init') return terminated?.exitCode !== 0 || activity !== 'idle'
  return role === 'sidecar' && !started
}

/** Starts what is due: init containers one after the other, then all others together. */
export const startContainers = (work: PodWork): void => {
  const begun = work.records.some(({ role, attempt }) => role === 'main' && attempt >= 0)
  for (const record of work.records) {
    if (record.waiting !== record.cached && record.activity === 'idle') {
      record.waiting = record.cached
      work.changed()
    }
    startContainer(work, record)
    if (!begun && blocks(record)) return
  }
}

/** Whether the pod has done its work, or has failed to, and nothing will be started again. */
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

/** Takes over what may change in the spec of a bound pod: images, and new ephemeral containers. */
export const updateContainers = (work: PodWork): void => {
  const { spec } = work.pod
  const present = [...(spec.initContainers ?? []), ...spec.containers]
  for (const record of work.records) {
    const next = present.find(({ name }) => name === record.spec.name)
    if (next === undefined) continue
    const isOther = next.image !== record.spec.image
    record.spec = next
    if (isOther && work.stopping === undefined) restartChanged(work, record)
  }
  for (const one of spec.ephemeralContainers ?? []) {
    if (work.records.some((record) => record.spec.name === one.name)) continue
    work.records.push(createRecord(one as Container, 'ephemeral'))
    work.changed()
  }
}
