/** Derives the phase of a pod from the states of its containers. */
import type { ContainerRecord } from '../containers/container-record.ts'

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

const hasFailed = (record: ContainerRecord): boolean =>
  record.startedAt === undefined && record.terminated !== undefined && record.terminated.exitCode !== 0

const phaseDuringInit = (records: readonly ContainerRecord[], policy: string): PodPhase | undefined => {
  for (const record of records) {
    if (record.role === 'sidecar') {
      if (!record.started && record.terminated === undefined) return 'Pending'
      continue
    }
    if (hasFailed(record) && policy === 'Never') return 'Failed'
    if (record.terminated === undefined || record.terminated.exitCode !== 0) return 'Pending'
  }
  return undefined
}

/** `ended` means that no container will be started again, regardless of the restart policy. */
export const podPhase = (records: readonly ContainerRecord[], policy: string, ended: boolean): PodPhase => {
  const main = records.filter(({ role }) => role === 'main')
  const hasStarted = main.some(({ attempt }) => attempt >= 0)
  if (!hasStarted) {
    const phase = phaseDuringInit(
      records.filter(({ role }) => role === 'init' || role === 'sidecar'),
      policy,
    )
    if (phase === 'Failed' || (phase === 'Pending' && !ended)) return phase
  }
  if (main.some(({ startedAt }) => startedAt !== undefined))
    return main.some(({ terminated, startedAt }) => terminated === undefined && startedAt === undefined)
      ? 'Pending'
      : 'Running'
  if (main.some(({ terminated }) => terminated === undefined)) return ended ? 'Failed' : 'Pending'
  const allSucceeded = main.every(({ terminated }) => terminated?.exitCode === 0)
  if (ended) return allSucceeded ? 'Succeeded' : 'Failed'
  if (policy === 'Always') return 'Running'
  if (allSucceeded) return 'Succeeded'
  return policy === 'Never' ? 'Failed' : 'Running'
}
