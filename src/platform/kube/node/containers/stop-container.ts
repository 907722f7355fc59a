/** Stops containers: records the event, runs the preStop hook, then calls the runtime. */
import { type PodWork, podIPOf, type Stopping } from '../pods/pod-work.ts'
import { type ContainerRecord, fieldPathOf } from './container-record.ts'
import { runHook } from './lifecycle-hook.ts'

/** The minimum grace period for the process after its preStop hook. */
const MIN_GRACE_MS = 2000

/** Does nothing unless the container is running. `message` is the message of the Killing event. */
export const stopContainer = (
  work: PodWork,
  record: ContainerRecord,
  message: string,
  graceMs: number,
): void => {
  const { context, pod } = work
  const { instance } = record
  if (record.activity !== 'running' || instance === undefined) return
  record.activity = 'stopping'
  record.stopProbes?.()
  record.stopProbes = undefined
  context.events.record(pod, 'Normal', 'Killing', message, fieldPathOf(record))
  const handler = record.spec.lifecycle?.preStop
  if (handler === undefined || graceMs === 0) {
    context.runtime.stopContainer(instance.id, graceMs)
    return
  }
  const startedAt = context.clock.now()
  const hook = { kind: 'preStop' as const, handler, pod, podIP: podIPOf(work) ?? '', record }
  runHook(context, { ...hook, timeoutMs: graceMs }, () => {
    if (record.activity !== 'stopping' || record.instance !== instance) return
    const remainingMs = graceMs - (context.clock.now() - startedAt)
    context.runtime.stopContainer(instance.id, Math.max(remainingMs, MIN_GRACE_MS))
  })
}

/** The rest of the pod's grace period, which begins when the first containers are stopped. */
const remainingGraceMs = ({ context }: PodWork, stopping: Stopping): number => {
  const now = context.clock.now()
  stopping.endsAt ??= now + stopping.graceMs
  return stopping.graceMs === 0 ? 0 : Math.max(stopping.endsAt - now, MIN_GRACE_MS)
}

/**
 * Stops the next containers: first all but the sidecars, then one sidecar at a time, in reverse order.
 * Returns whether all have ended.
 */
export const stopAll = (work: PodWork, stopping: Stopping): boolean => {
  for (const record of work.records) if (record.activity === 'pulling') record.activity = 'idle'
  const busy = work.records.filter(({ activity }) => activity !== 'idle')
  const nonSidecars = busy.filter(({ role }) => role !== 'sidecar')
  const next = nonSidecars.length > 0 ? nonSidecars : busy.slice(-1)
  const graceMs = remainingGraceMs(work, stopping)
  for (const record of next) stopContainer(work, record, `Stopping container ${record.spec.name}`, graceMs)
  return busy.length === 0
}
