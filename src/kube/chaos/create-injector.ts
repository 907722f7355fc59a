/** Holds the faults that are in force, and the ones on their way in or out: the memory of the controller. */
import type { AppliedFault, Outcome, PodFault, PodFaults } from '../ports/index.ts'
import type { RecordOperation } from './chaos-object.ts'

/** How something that was done to one record ended. */
export interface RecordOutcome {
  index: number
  operation: RecordOperation
  /** What went wrong; absent where all went well. */
  problem?: string
}

interface Experiment {
  readonly uid: string
  /** In force, by the index of the record. */
  readonly held: Map<number, readonly AppliedFault[]>
  readonly busy: Set<number>
  readonly failures: Map<number, { count: number; notBefore: number }>
  outcomes: RecordOutcome[]
}

const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 60_000

/** Calls `done` once, when every one of `starts` has replied; in order. */
const awaitAll = <T>(
  starts: readonly ((reply: (outcome: Outcome<T>) => void) => void)[],
  done: (outcomes: readonly Outcome<T>[]) => void,
): void => {
  const outcomes = new Array<Outcome<T>>(starts.length)
  let left = starts.length
  if (left === 0) done([])
  for (const [index, start] of starts.entries())
    start((outcome) => {
      outcomes[index] = outcome
      left -= 1
      if (left === 0) done(outcomes)
    })
}

const problemOf = (outcomes: readonly Outcome<unknown>[]): { problem?: string } => {
  const failed = outcomes.find((outcome) => !outcome.ok)
  return failed === undefined || failed.ok ? {} : { problem: failed.error.message }
}

/** Experiments are known by the key of their object; `wake` is called with it when there is an outcome. */
export const createInjector = (faults: PodFaults, wake: (key: string) => void) => {
  const experiments = new Map<string, Experiment>()

  const undo = (applied: readonly AppliedFault[], done: (problem: { problem?: string }) => void): void =>
    awaitAll<void>(
      applied.map((fault) => (reply) => fault.recover(reply)),
      (outcomes) => done(problemOf(outcomes)),
    )

  const settle = (key: string, experiment: Experiment, outcome: RecordOutcome): void => {
    experiment.busy.delete(outcome.index)
    experiment.outcomes.push(outcome)
    wake(key)
  }

  return {
    /** Forgets an object that is no more, or is another one now under its key, and undoes what it did. */
    forget(key: string, except?: string): void {
      const experiment = experiments.get(key)
      if (experiment === undefined || experiment.uid === except) return
      experiments.delete(key)
      // What is on its way ends well by itself.
      for (const [index, applied] of experiment.held) if (!experiment.busy.has(index)) undo(applied, () => {})
    },
    /** The object of this key, from now on. */
    open(key: string, uid: string): void {
      if (experiments.get(key)?.uid === uid) return
      experiments.set(key, { uid, held: new Map(), busy: new Set(), failures: new Map(), outcomes: [] })
    },
    /** Whether something is on its way for any record, or for this one. */
    isBusy(key: string, index?: number): boolean {
      const busy = experiments.get(key)?.busy
      return busy !== undefined && (index === undefined ? busy.size > 0 : busy.has(index))
    },
    /** Milliseconds to wait before the record is tried again after failures; 0 where it is time. */
    pauseOf: (key: string, index: number, now: number): number =>
      Math.max(0, (experiments.get(key)?.failures.get(index)?.notBefore ?? 0) - now),
    noteFailure(key: string, index: number, now: number): void {
      const failures = experiments.get(key)?.failures
      const count = failures?.get(index)?.count ?? 0
      failures?.set(index, {
        count: count + 1,
        notBefore: now + Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS),
      })
    },
    noteSuccess(key: string, index: number): void {
      experiments.get(key)?.failures.delete(index)
    },
    apply(key: string, index: number, wanted: readonly PodFault[]): void {
      const experiment = experiments.get(key)!
      experiment.busy.add(index)
      awaitAll<AppliedFault>(
        wanted.map((fault) => (reply) => faults.apply(fault, reply)),
        (outcomes) => {
          const applied = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
          const { problem } = problemOf(outcomes)
          if (problem !== undefined || experiments.get(key) !== experiment) {
            undo(applied, () =>
              settle(key, experiment, { index, operation: 'Apply', problem: problem ?? '' }),
            )
            return
          }
          experiment.held.set(index, applied)
          settle(key, experiment, { index, operation: 'Apply' })
        },
      )
    },
    recover(key: string, index: number): void {
      const experiment = experiments.get(key)!
      experiment.busy.add(index)
      undo(experiment.held.get(index) ?? [], (problem) => {
        if (problem.problem === undefined) experiment.held.delete(index)
        settle(key, experiment, { index, operation: 'Recover', ...problem })
      })
    },
    /** What has ended and is not yet written down. */
    outcomes: (key: string): readonly RecordOutcome[] => experiments.get(key)?.outcomes ?? [],
    /** Those are written down: nobody asks for them again. */
    clearOutcomes(key: string, written: readonly RecordOutcome[]): void {
      const experiment = experiments.get(key)
      if (experiment !== undefined)
        experiment.outcomes = experiment.outcomes.filter((outcome) => !written.includes(outcome))
    },
  }
}

export type Injector = ReturnType<typeof createInjector>
