/** Does to every record of an experiment what its phase wants, and notes how it went. */
import { pods } from '../kinds/index.ts'
import { toTime } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import type { ChaosKind, Injection } from './chaos-kind.ts'
import type { ChaosObject, ChaosRecord, RecordEvent, RecordOperation } from './chaos-object.ts'
import type { Injector, RecordOutcome } from './create-injector.ts'
import { splitRecordId } from './record-id.ts'

/** Older ones are dropped, so that an object that keeps failing does not grow without end. */
const EVENTS_KEPT = 50

export interface Treatment {
  key: string
  kind: ChaosKind
  chaos: ChaosObject
  client: Client
  injector: Injector
  /** What has ended and is not yet in the status. */
  outcomes: readonly RecordOutcome[]
  now: number
  requeue(key: string, milliseconds: number): void
  tell(type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** Nothing where the pod is gone. */
const injectionFor = (
  { client, chaos }: Treatment,
  records: readonly ChaosRecord[],
  record: ChaosRecord,
): Injection | undefined => {
  const { namespace, pod: name, container } = splitRecordId(record.id)
  const pod = client.get(pods, namespace, name)
  if (pod === undefined) return undefined
  const target = { namespace, pod: name, uid: pod.metadata.uid }
  return { client, chaos, record, records, pod, target, containerTarget: { ...target, container } }
}

/** Begins to apply; true where it is done already. */
const apply = (treatment: Treatment, records: readonly ChaosRecord[], index: number): boolean => {
  const { key, kind, chaos, injector } = treatment
  const record = records[index]!
  const injection = injectionFor(treatment, records, record)
  if (injection === undefined) throw new Error(`pods "${splitRecordId(record.id).pod}" not found`)
  const api = kind.byApi?.(chaos.spec)
  if (api === undefined) injector.apply(key, index, kind.faults(injection))
  else api.apply(injection)
  return api !== undefined
}

/** Begins to recover; true where it is done already. */
const recover = (treatment: Treatment, records: readonly ChaosRecord[], index: number): boolean => {
  const { key, kind, chaos, injector } = treatment
  const api = kind.byApi?.(chaos.spec)
  if (api === undefined) {
    injector.recover(key, index)
    return false
  }
  const injection = injectionFor(treatment, records, records[index]!)
  if (injection !== undefined) api.recover(injection)
  return true
}

/** What a record needs to come to the phase, unless it is on its way or has to wait after a failure. */
const dueOperation = (
  { key, injector, now, requeue }: Treatment,
  phase: 'Run' | 'Stop',
  record: ChaosRecord,
  index: number,
): RecordOperation | undefined => {
  const isThere = (record.phase === 'Injected') === (phase === 'Run')
  if (isThere || injector.isBusy(key, index)) return undefined
  const pause = injector.pauseOf(key, index, now)
  if (pause === 0) return phase === 'Run' ? 'Apply' : 'Recover'
  requeue(key, pause)
  return undefined
}

const begin = (
  treatment: Treatment,
  phase: 'Run' | 'Stop',
  records: readonly ChaosRecord[],
): readonly RecordOutcome[] =>
  records.flatMap((record, index): RecordOutcome[] => {
    const operation = dueOperation(treatment, phase, record, index)
    if (operation === undefined) return []
    try {
      const isDone = (operation === 'Apply' ? apply : recover)(treatment, records, index)
      return isDone ? [{ index, operation }] : []
    } catch (error) {
      return [{ index, operation, problem: error instanceof Error ? error.message : String(error) }]
    }
  })

const withEvent = (record: ChaosRecord, event: RecordEvent): ChaosRecord => ({
  ...record,
  events: [...(record.events ?? []), event].slice(-EVENTS_KEPT),
})

const noteOutcome = (treatment: Treatment, record: ChaosRecord, outcome: RecordOutcome): ChaosRecord => {
  const { key, injector, now, requeue, tell } = treatment
  const { index, operation, problem } = outcome
  const timestamp = toTime(now)
  if (problem !== undefined) {
    tell('Warning', 'Failed', `Failed to ${operation.toLowerCase()} chaos: ${problem}`)
    injector.noteFailure(key, index, now)
    requeue(key, injector.pauseOf(key, index, now))
    return withEvent(record, { type: 'Failed', operation, message: problem, timestamp })
  }
  injector.noteSuccess(key, index)
  const done = withEvent(record, { type: 'Succeeded', operation, timestamp })
  if (operation === 'Apply') {
    tell('Normal', 'Applied', `Successfully apply chaos for ${record.id}`)
    return { ...done, phase: 'Injected', injectedCount: record.injectedCount + 1 }
  }
  tell('Normal', 'Recovered', `Successfully recover chaos for ${record.id}`)
  const { before, ...recovered } = done
  return { ...recovered, phase: 'Not Injected', recoveredCount: record.recoveredCount + 1 }
}

const noteAll = (
  treatment: Treatment,
  records: readonly ChaosRecord[],
  outcomes: readonly RecordOutcome[],
): readonly ChaosRecord[] =>
  outcomes.reduce<readonly ChaosRecord[]>(
    (all, outcome) =>
      all.map((record, index) =>
        index === outcome.index ? noteOutcome(treatment, record, outcome) : record,
      ),
    records,
  )

/** Notes what the recovery of each record that is to be injected has to know. */
const rememberAll = (treatment: Treatment, records: readonly ChaosRecord[]): readonly ChaosRecord[] => {
  const remember = treatment.kind.byApi?.(treatment.chaos.spec)?.remember
  return records.map((record) => {
    if (remember === undefined || record.phase === 'Injected') return record
    const injection = injectionFor(treatment, records, record)
    if (injection === undefined || injection.target.uid === record.before?.uid) return record
    return { ...record, before: remember(injection) }
  })
}

/** The records as they are now. */
export const treatRecords = (
  treatment: Treatment,
  phase: 'Run' | 'Stop',
  before: readonly ChaosRecord[],
): readonly ChaosRecord[] => {
  const noted = noteAll(treatment, before, treatment.outcomes)
  const records = phase === 'Run' ? rememberAll(treatment, noted) : noted
  // It must be stored before anything is done; that it was stored brings the controller back here.
  if (records.some((record, index) => record !== noted[index])) return records
  return noteAll(treatment, records, begin(treatment, phase, records))
}
