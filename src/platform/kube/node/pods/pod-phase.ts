/** Derives the phase of a pod from the states of its containers. */
import type { ContainerRecord } from '../containers/container-record.ts'

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

const hasFailed = (record: ContainerRecord): boolean =>
  record.startedAt === undefined && record.terminated !== undefined && record.terminated.exitCode !== 0

const initialPhase = (inits: readonly ContainerRecord[], policy: string): PodPhase | undefined => {
  for (const record of inits) {
    if (record.role === 'sidecar') {
      if (!record.started && record.terminated === undefined) return 'Pending'
      continue
    }
    if (hasFailed(record) && policy === 'Never') return 'Failed'
    if (record.terminated === undefined || record.terminated.exitCode !== 0) return 'Pending'
  }
  return undefined
}

/** `ended` means that no container will be started again, whatever the restart policy. */
export const podPhase = (records: readonly ContainerRecord[], policy: string, ended: boolean): PodPhase => {
  const mains = records.filter(({ role }) => role === 'main')
  const hasStarted = mains.some(({ attempt }) => attempt >= 0)
  if (!hasStarted) {
    const phase = initialPhase(
      records.filter(({ role }) => role === 'init' || role === 'sidecar'),
      policy,
    )
    if (phase === 'Failed' || (phase === 'Pending' && !ended)) return phase
  }
  if (mains.some(({ startedAt }) => startedAt !== undefined))
    return mains.some(({ terminated, startedAt }) => terminated === undefined && startedAt === undefined)
      ? 'Pending'
      : 'Running'
  if (mains.some(({ terminated }) => terminated === undefined)) return ended ? 'Failed' : 'Pending'
  const allSucceeded = mains.every(({ terminated }) => terminated?.exitCode === 0)
  if (ended) return allSucceeded ? 'Succeeded' : 'Failed'
  if (policy === 'Always') return 'Running'
  if (allSucceeded) return 'Succeeded'
  return policy === 'Never' ? 'Failed' : 'Running'
}
