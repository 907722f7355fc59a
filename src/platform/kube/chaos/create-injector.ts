/** Applies and reverts the faults of experiments, and keeps their state in memory for the controller. */
import type { AppliedFault, Outcome, PodFault, PodFaults } from '#platform/kube/ports'
import type { RecordOperation } from './chaos-object.ts'
import { createRecordBackoff, type RecordBackoff } from './record-backoff.ts'

/** The outcome of an operation on one record. */
export interface RecordOutcome {
  index: number
  operation: RecordOperation
  /** The error message; undefined on success. */
  problem?: string
}

interface Experiment {
  readonly uid: string
  /** Applied faults by the index of the record. */
  readonly applied: Map<number, readonly AppliedFault[]>
  /** Indexes of records with an operation in progress. */
  readonly busy: Set<number>
  readonly backoff: RecordBackoff
  outcomes: RecordOutcome[]
}

/** Starts all operations. Once all have replied, calls `done` with their outcomes, in the same order. */
const awaitAll = <T>(
  operations: readonly ((reply: (outcome: Outcome<T>) => void) => void)[],
  done: (outcomes: readonly Outcome<T>[]) => void,
): void => {
  const outcomes = new Array<Outcome<T>>(operations.length)
  let pending = operations.length
  if (pending === 0) done([])
  for (const [index, start] of operations.entries())
    start((outcome) => {
      outcomes[index] = outcome
      pending -= 1
      if (pending === 0) done(outcomes)
    })
}

const problemOf = (outcomes: readonly Outcome<unknown>[]): { problem?: string } => {
  const failed = outcomes.find((outcome) => !outcome.ok)
  return failed === undefined || failed.ok ? {} : { problem: failed.error.message }
}

/** Identifies experiments by the key of their object; calls `onOutcome` with the key for each outcome. */
export const createInjector = (faults: PodFaults, onOutcome: (key: string) => void) => {
  const experiments = new Map<string, Experiment>()

  const revert = (applied: readonly AppliedFault[], done: (result: { problem?: string }) => void): void =>
    awaitAll<void>(
      applied.map((fault) => (reply) => fault.recover(reply)),
      (outcomes) => done(problemOf(outcomes)),
    )

  const finish = (key: string, experiment: Experiment, outcome: RecordOutcome): void => {
    experiment.busy.delete(outcome.index)
    experiment.outcomes.push(outcome)
    onOutcome(key)
  }

  return {
    /** Closes the experiment and reverts its faults, unless its object still exists with the uid `currentUid`. */
    close(key: string, currentUid?: string): void {
      const experiment = experiments.get(key)
      if (experiment === undefined || experiment.uid === currentUid) return
      experiments.delete(key)
      // Operations in progress revert their faults when they finish.
      for (const [index, applied] of experiment.applied)
        if (!experiment.busy.has(index)) revert(applied, () => {})
    },
    /** Opens the experiment of an object, unless it is already open. */
    open(key: string, uid: string): void {
      if (experiments.get(key)?.uid === uid) return
      experiments.set(key, {
        uid,
        applied: new Map(),
        busy: new Set(),
        backoff: createRecordBackoff(),
        outcomes: [],
      })
    },
    /** Whether an operation is in progress for the record at `index`, or for any record if it is omitted. */
    isBusy(key: string, index?: number): boolean {
      const busy = experiments.get(key)?.busy
      return busy !== undefined && (index === undefined ? busy.size > 0 : busy.has(index))
    },
    backoff: (key: string): RecordBackoff | undefined => experiments.get(key)?.backoff,
    apply(key: string, index: number, requested: readonly PodFault[]): void {
      const experiment = experiments.get(key)!
      experiment.busy.add(index)
      awaitAll<AppliedFault>(
        requested.map((fault) => (reply) => faults.apply(fault, reply)),
        (outcomes) => {
          const applied = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
          const { problem } = problemOf(outcomes)
          if (problem !== undefined || experiments.get(key) !== experiment) {
            revert(applied, () =>
              finish(key, experiment, { index, operation: 'Apply', problem: problem ?? '' }),
            )
            return
          }
          experiment.applied.set(index, applied)
          finish(key, experiment, { index, operation: 'Apply' })
        },
      )
    },
    recover(key: string, index: number): void {
      const experiment = experiments.get(key)!
      experiment.busy.add(index)
      revert(experiment.applied.get(index) ?? [], (result) => {
        if (result.problem === undefined) experiment.applied.delete(index)
        finish(key, experiment, { index, operation: 'Recover', ...result })
      })
    },
    /** Returns the outcomes that are not stored yet. */
    outcomes: (key: string): readonly RecordOutcome[] => experiments.get(key)?.outcomes ?? [],
    /** Removes outcomes that have been stored. */
    clearOutcomes(key: string, stored: readonly RecordOutcome[]): void {
      const experiment = experiments.get(key)
      if (experiment !== undefined)
        experiment.outcomes = experiment.outcomes.filter((outcome) => !stored.includes(outcome))
    },
  }
}

export type Injector = ReturnType<typeof createInjector>
