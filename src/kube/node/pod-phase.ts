/** The phase of a pod, from the states of its containers. */
import type { ContainerRecord } from './container-record.ts'

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

/** `ended` means that nothing will be started any more, whatever the restart policy says. */
export const podPhase = (records: readonly ContainerRecord[], policy: string, ended: boolean): PodPhase => {
  const mains = records.filter(({ role }) => role === 'main')
  const begun = mains.some(({ attempt }) => attempt >= 0)
  if (!begun) {
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
