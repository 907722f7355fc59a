/** The context of a solver: API access, telemetry, and the parts of the record that it may write. */
import {
  LABORATORY_TIMEOUT_MS,
  type PlaybookReport,
  runOnEngine,
  runPlaybook,
  snapshotSystem,
} from '#platform/playbook'
import {
  type Briefing,
  type ClusterAccess,
  LABORATORY_PLAYBOOK,
  RemediumError,
  type SolverContext,
  type TimeRange,
} from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { createEventLimiter } from '../record/event-limiter.ts'
import type { EventLog } from '../record/event-log.ts'
import type { Injection } from '../stages/injection.ts'
import type { SolverBudget } from './create-solver-budget.ts'
import { isExcused } from './is-excused.ts'
import { limitTelemetry } from './limit-telemetry.ts'
import { recordWrites } from './record-writes.ts'
import { createRevocableApi } from './revocable-api.ts'

/** The record keeps at most this many characters from the end of a playbook's output. */
const MAX_OUTPUT_CHARACTERS = 20_000

export interface SolverContextOptions {
  readonly equipment: Equipment
  readonly log: EventLog
  readonly injection: Pick<Injection, 'hold'>
  readonly briefing: Briefing
  readonly baseline: TimeRange
  readonly isTrusted: boolean
  readonly access: ClusterAccess
  readonly budget: SolverBudget
  readonly episode: string
}

export interface SolverSession {
  readonly context: SolverContext
  readonly hasGivenUp: boolean
  /** A failure of the machine or the engine while it worked for the solver. The solver is not to blame for it. */
  readonly failure: RemediumError | undefined
  /** Ends the budget and ignores later calls of the solver; resolves when its work has ended. */
  close(): Promise<void>
}

/** Hides signals of earlier episodes and of the laboratory from untrusted solvers. */
const openTelemetry = ({
  equipment: { cluster, resets },
  isTrusted,
}: SolverContextOptions): Pick<SolverContext, 'telemetry' | 'sql'> => {
  const { query, sql } = cluster.telemetry!
  const since = resets.at
  return isTrusted
    ? { telemetry: query, sql }
    : {
        telemetry: limitTelemetry(query, since),
        sql: (text, parameters) => sql(text, parameters, { since }),
      }
}

/** Tracks work that acts on the cluster, even if its caller no longer waits for it. */
const createRunningWork = (onUnsupported: (error: RemediumError) => void) => {
  const running = new Set<Promise<unknown>>()
  return {
    add(work: Promise<unknown>): void {
      running.add(work)
      const remove = (): void => void running.delete(work)
      work.then(remove, (error) => {
        remove()
        if (error instanceof RemediumError && error.code === 'unsupported') onUnsupported(error)
      })
    },
    ended: () => Promise.allSettled(running),
  }
}

/** The part of the record that a solver writes. */
const createSolverRecord = (log: EventLog, budget: SolverBudget) => {
  const limitSize = createEventLimiter()
  /** The solver has ended: its steps and answers are ignored. */
  let isOver = false
  /** Its work has ended, too: nothing more is recorded. */
  let isSettled = false
  return {
    note: ((step) => {
      if (isOver) return
      log.add(limitSize({ type: 'step-taken', ...step }))
      if (step.reach !== 'answers') budget.countStep()
    }) satisfies SolverContext['note'],
    record: ((event) => {
      if (!isSettled) log.add(limitSize(event))
    }) satisfies SolverContext['record'],
    answer: ((answers) => {
      if (!isOver) log.add({ type: 'answers-given', answers })
    }) satisfies SolverContext['answer'],
    end() {
      isOver = true
    },
    settle() {
      isSettled = true
    },
  }
}

const createTakeSnapshot =
  ({ equipment, injection }: SolverContextOptions): SolverContext['takeSnapshot'] =>
  async () => {
    // Changes by a fault's schedule must not be attributed to the solver.
    const release = await injection.hold()
    try {
      const { cluster, view, time } = equipment
      return { ...(await snapshotSystem(cluster.api, view.namespace, time.clock)), release }
    } catch (error) {
      release()
      throw error
    }
  }

/** Runs a playbook of the laboratory by the engine, if it can, or with Ansible. */
const runLaboratoryPlaybook = (
  { equipment: { cluster, view }, access, budget: { signal } }: SolverContextOptions,
  text: string,
): Promise<PlaybookReport> => {
  const { api, kubeconfig } = access
  if (cluster.runPlaybook === undefined) return runPlaybook({ text, kubeconfig, signal })
  const { namespace } = view
  return runOnEngine(cluster.runPlaybook, {
    ...{ text, api, namespace, signal },
    groups: [],
    timeoutMs: LABORATORY_TIMEOUT_MS,
  })
}

export const createSolverContext = (options: SolverContextOptions): SolverSession => {
  const { equipment, log, briefing, baseline, access, budget } = options
  const { api, kubeconfig } = access
  const { signal } = budget
  let failure: RemediumError | undefined
  const work = createRunningWork((error) => {
    failure ??= error
  })
  const record = createSolverRecord(log, budget)
  const writes = recordWrites(access, log)
  let hasGivenUp = false
  const context: SolverContext = {
    episode: options.episode,
    briefing,
    api: createRevocableApi(api, signal),
    kubeconfig,
    ...openTelemetry(options),
    baselineWindow: baseline,
    signal,
    note: record.note,
    record: record.record,
    answer: record.answer,
    spend: budget.spend,
    setExcuse: budget.setExcuse,
    registerWork: work.add,
    takeSnapshot: createTakeSnapshot(options),
    now: equipment.time.precise,
    sleep: (ms) => equipment.time.sleep(ms, signal),
    async waitOutside(work, millisecondsOf = () => 0) {
      const result = await equipment.time.waitOutside(work, millisecondsOf, signal)
      signal.throwIfAborted()
      return result
    },
    giveUp() {
      hasGivenUp = true
    },
    async runPlaybook(text) {
      const running = runLaboratoryPlaybook(options, text)
      work.add(running)
      const { ok, output } = await running.catch((error) => {
        if (isExcused(error)) failure = error
        throw error
      })
      const observation = output.slice(-MAX_OUTPUT_CHARACTERS)
      record.note({ action: LABORATORY_PLAYBOOK, reach: 'objects', input: text, observation })
      return { ok, output }
    },
  }
  return {
    context,
    get hasGivenUp() {
      return hasGivenUp
    },
    get failure() {
      return failure
    },
    async close() {
      record.end()
      budget.close()
      // Processes that are being killed may still act; their changes count as the solver's.
      await work.ended()
      writes.end()
      record.settle()
    },
  }
}
