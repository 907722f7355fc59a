/** Applies or recovers the records of an experiment, depending on its phase, and stores the outcomes in them. */
import { pods } from '#platform/kube/kinds'
import { toTime } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { ChaosKind, Injection } from './chaos-kind.ts'
import type { ChaosObject, ChaosRecord, RecordEvent, RecordOperation } from './chaos-object.ts'
import type { Injector, RecordOutcome } from './create-injector.ts'
import { splitRecordId } from './record-id.ts'

/** Maximum number of events per record; bounds the size of an object that keeps failing. */
const MAX_EVENTS = 50

export interface ExperimentSync {
  key: string
  kind: ChaosKind
  chaos: ChaosObject
  client: Client
  injector: Injector
  /** Finished operations that are not in the status yet. */
  outcomes: readonly RecordOutcome[]
  now: number
  requeue(key: string, milliseconds: number): void
  recordEvent(type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** Returns undefined if the pod no longer exists. */
const injectionFor = (
  { client, chaos }: ExperimentSync,
  records: readonly ChaosRecord[],
  record: ChaosRecord,
): Injection | undefined => {
  const { namespace, pod: name, container } = splitRecordId(record.id)
  const pod = client.get(pods, namespace, name)
  if (pod === undefined) return undefined
  const target = { namespace, pod: name, uid: pod.metadata.uid }
  return { client, chaos, record, records, pod, target, containerTarget: { ...target, container } }
}

/** Starts to apply a record; returns whether it is already done. */
const apply = (sync: ExperimentSync, records: readonly ChaosRecord[], index: number): boolean => {
  const { key, kind, chaos, injector } = sync
  const record = records[index]!
  const injection = injectionFor(sync, records, record)
  if (injection === undefined) throw new Error(`pods "${splitRecordId(record.id).pod}" not found`)
  const api = kind.byApi?.(chaos.spec)
  if (api === undefined) injector.apply(key, index, kind.faults(injection))
  else api.apply(injection)
  return api !== undefined
}

/** Starts to recover a record; returns whether it is already done. */
const recover = (sync: ExperimentSync, records: readonly ChaosRecord[], index: number): boolean => {
  const { key, kind, chaos, injector } = sync
  const api = kind.byApi?.(chaos.spec)
  if (api === undefined) {
    injector.recover(key, index)
    return false
  }
  const injection = injectionFor(sync, records, records[index]!)
  if (injection !== undefined) api.recover(injection)
  return true
}

/** Returns the operation that a record needs, unless one is in progress or its back-off has not passed. */
const dueOperation = (
  { key, injector, now, requeue }: ExperimentSync,
  phase: 'Run' | 'Stop',
  record: ChaosRecord,
  index: number,
): RecordOperation | undefined => {
  const isInPhase = (record.phase === 'Injected') === (phase === 'Run')
  if (isInPhase || injector.isBusy(key, index)) return undefined
  const backoffMs = injector.backoff(key)?.remaining(index, now) ?? 0
  if (backoffMs === 0) return phase === 'Run' ? 'Apply' : 'Recover'
  requeue(key, backoffMs)
  return undefined
}

const startOperations = (
  sync: ExperimentSync,
  phase: 'Run' | 'Stop',
  records: readonly ChaosRecord[],
): readonly RecordOutcome[] =>
  records.flatMap((record, index): RecordOutcome[] => {
    const operation = dueOperation(sync, phase, record, index)
    if (operation === undefined) return []
    try {
      const isDone = (operation === 'Apply' ? apply : recover)(sync, records, index)
      return isDone ? [{ index, operation }] : []
    } catch (error) {
      return [{ index, operation, problem: error instanceof Error ? error.message : String(error) }]
    }
  })

const withEvent = (record: ChaosRecord, event: RecordEvent): ChaosRecord => ({
  ...record,
  events: [...(record.events ?? []), event].slice(-MAX_EVENTS),
})

const applyOutcome = (sync: ExperimentSync, record: ChaosRecord, outcome: RecordOutcome): ChaosRecord => {
  const { key, injector, now, requeue, recordEvent } = sync
  const { index, operation, problem } = outcome
  const timestamp = toTime(now)
  if (problem !== undefined) {
    recordEvent('Warning', 'Failed', `Failed to ${operation.toLowerCase()} chaos: ${problem}`)
    const backoff = injector.backoff(key)
    backoff?.recordFailure(index, now)
    requeue(key, backoff?.remaining(index, now) ?? 0)
    return withEvent(record, { type: 'Failed', operation, message: problem, timestamp })
  }
  injector.backoff(key)?.reset(index)
  const done = withEvent(record, { type: 'Succeeded', operation, timestamp })
  if (operation === 'Apply') {
    recordEvent('Normal', 'Applied', `Successfully apply chaos for ${record.id}`)
    return { ...done, phase: 'Injected', injectedCount: record.injectedCount + 1 }
  }
  recordEvent('Normal', 'Recovered', `Successfully recover chaos for ${record.id}`)
  const { before, ...recovered } = done
  return { ...recovered, phase: 'Not Injected', recoveredCount: record.recoveredCount + 1 }
}

const applyOutcomes = (
  sync: ExperimentSync,
  records: readonly ChaosRecord[],
  outcomes: readonly RecordOutcome[],
): readonly ChaosRecord[] =>
  outcomes.reduce<readonly ChaosRecord[]>(
    (all, outcome) =>
      all.map((record, index) => (index === outcome.index ? applyOutcome(sync, record, outcome) : record)),
    records,
  )

/** Adds the state that recovery needs to each record that will be injected. */
const snapshotAll = (sync: ExperimentSync, records: readonly ChaosRecord[]): readonly ChaosRecord[] => {
  const snapshot = sync.kind.byApi?.(sync.chaos.spec)?.snapshot
  return records.map((record) => {
    if (snapshot === undefined || record.phase === 'Injected') return record
    const injection = injectionFor(sync, records, record)
    if (injection === undefined || injection.target.uid === record.before?.uid) return record
    return { ...record, before: snapshot(injection) }
  })
}

/** Returns the updated records. */
export const syncRecords = (
  sync: ExperimentSync,
  phase: 'Run' | 'Stop',
  before: readonly ChaosRecord[],
): readonly ChaosRecord[] => {
  const updated = applyOutcomes(sync, before, sync.outcomes)
  const records = phase === 'Run' ? snapshotAll(sync, updated) : updated
  // Snapshots must be stored before the injection; the write triggers the next reconcile.
  if (records.some((record, index) => record !== updated[index])) return records
  return applyOutcomes(sync, records, startOperations(sync, phase, records))
}
