/** An incident without a cluster, for tests of the gym: a playbook with the word "right" repairs it. */
import type { AttemptOutcome, Incident } from '#exam/episode'
import {
  type EngineCluster,
  type EpisodeEvent,
  NO_METRICS,
  type Problem,
  RemediumError,
  type Solver,
  type SolverContext,
  type Verdict,
} from '#spec'

/** Does not run real playbooks. A playbook that contains one of these words has the effect of the word. */
export const FAKE_CLUSTER = {
  server: 'none',
  async runPlaybook({ text }: { text: string }) {
    if (text.includes('die')) process.kill(process.pid, 'SIGKILL')
    const report = { ok: true, output: 'done', tasks: [], milliseconds: 1 }
    return text.includes('unsupported') ? { ...report, ok: false, unsupported: 'this playbook' } : report
  },
} as unknown as EngineCluster

const toVerdict = (problem: Problem, events: readonly EpisodeEvent[], error: unknown): Verdict => {
  const steps = events.filter(({ type }) => type === 'step-taken').length
  const common = { task: problem.task, damage: [], metrics: { ...NO_METRICS, steps } }
  if (error instanceof RemediumError) {
    const { code, blame, message: reason } = error
    return { ...common, outcome: 'void', code, blame, reason, judgements: [] }
  }
  const isRepaired = JSON.stringify(events).includes('right')
  const judgements = [{ oracle: 'users-served', holds: isRepaired, evidence: '' }] as const
  return { ...common, outcome: isRepaired ? 'resolved' : 'unresolved', reason: 'judged', judgements }
}

const createContext = (problem: Problem, events: EpisodeEvent[]) => {
  const spent = new AbortController()
  const briefing = {
    task: problem.task,
    system: problem.system,
    namespace: 'shop',
    budget: problem.budget,
    report: { kind: 'symptoms', text: 'users suffer' },
  }
  const record = (event: object): void => void events.push({ at: events.length, ...event } as EpisodeEvent)
  const context = {
    episode: `episode-${process.pid}`,
    briefing,
    kubeconfig: '',
    api: {},
    signal: spent.signal,
    telemetry: { alerts: async () => [] },
    now: () => 0,
    record,
    note(step: object) {
      record({ type: 'step-taken', ...step })
      if (!('reach' in step && step.reach === 'answers') && --left === 0)
        spent.abort(new Error('the step budget is spent'))
    },
    answer: (answers: object) => record({ type: 'answers-given', answers }),
    giveUp() {},
    setExcuse() {},
    spend() {},
    registerWork() {},
    waitOutside: <T>(work: Promise<T>): Promise<T> => work,
  } as unknown as SolverContext
  let left = problem.budget.steps
  return { context, record, spent }
}

const attempt = async (problem: Problem, solver: Solver): Promise<AttemptOutcome> => {
  const events: EpisodeEvent[] = []
  const { context, record, spent } = createContext(problem, events)
  record({ type: 'solver-started' })
  let error: unknown
  await solver.solve(context).catch((thrown) => {
    error = thrown
  })
  const reason = spent.signal.aborted ? { reason: 'the step budget is spent' } : {}
  record({ type: 'solver-ended', outcome: spent.signal.aborted ? 'budget-spent' : 'submitted', ...reason })
  return { events, verdict: toVerdict(problem, events, error) }
}

/** With `fails` as its seed, a problem cannot be prepared. */
export const createFakeIncident = (problem: Problem): Incident =>
  ({
    problem,
    attempt: async (solver: Solver) => {
      if (problem.seed !== 'fails') return attempt(problem, solver)
      const error = new RemediumError('no-user-impact', 'Users are not affected.')
      return { events: [], verdict: toVerdict(problem, [], error) }
    },
    async restore() {},
  }) as unknown as Incident
