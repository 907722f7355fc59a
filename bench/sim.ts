/** Measures episodes on simulated clusters: CPU time of each stage, attempts and episodes per second, and memory per worker. */
import { availableParallelism } from 'node:os'
import { loadSuite } from '#exam/problems'
import type { Problem } from '#spec'
import { type Goal, median } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'
import { type ForkCosts, forkAttempts } from './sim-parts/fork-attempts.ts'
import { type EpisodeFigures, STAGES, type StageCost } from './sim-parts/play-episode.ts'
import { runWorkers, type WorkersOptions } from './sim-parts/run-workers.ts'
import type { WorkerFigures } from './sim-parts/sim-worker.ts'

interface RateGoals {
  readonly attempts: number
  readonly episodes: number
}

const RATE_GOALS: Record<string, RateGoals> = {
  'online-boutique': { attempts: 200, episodes: 40 },
  'train-ticket': { attempts: 50, episodes: 8 },
}
const MAX_WORKER_MIB = 300
const MAX_FORK_MS = 2

const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0)

/** The first problem whose only fault must be repaired; the reference makes a change, and does not just answer. */
const findProblem = async (suite: string, fault: string, system: string): Promise<Problem> => {
  const problems = await loadSuite(suite, { system })
  const found = problems.find(
    ({ task, faults }) =>
      task === 'remediation' && faults.length === 1 && (fault === '' || faults[0]!.fault === fault),
  )
  if (found === undefined) throw new Error(`the suite ${suite} has no such problem`)
  return found
}

const totalOf = ({ stages }: EpisodeFigures, unit: keyof StageCost): number =>
  sum(STAGES.map((stage) => stages[stage][unit]))

/** The number of episodes that all workers together complete per second, if each takes the time that `costOf` returns. */
const rateOf = (workers: readonly WorkerFigures[], costOf: (episode: EpisodeFigures) => number): number =>
  sum(workers.map(({ episodes }) => (episodes.length * 1000) / sum(episodes.map(costOf))))

/** The figures of forked attempts; none where forks are not possible. */
const toForkGoals = (
  toGoal: (column: string, figure: Omit<Goal, 'what' | 'cell'>) => Goal,
  costs: ForkCosts | undefined,
): Goal[] => {
  if (costs === undefined) return []
  const { attempts, forkCpuMs, attemptCpuMs } = costs
  return [
    toGoal('CPU of a fork', { measured: median(forkCpuMs), unit: 'ms', atMost: MAX_FORK_MS }),
    toGoal('CPU per forked attempt', { measured: attemptCpuMs, unit: 'ms' }),
    toGoal('memory that an attempt writes', {
      measured: Math.max(...attempts.map(({ privateMib }) => privateMib)),
      unit: 'MiB',
    }),
    toGoal('memory of all processes of an attempt', {
      measured: Math.max(...attempts.map(({ mib }) => mib)),
      unit: 'MiB',
      atMost: MAX_WORKER_MIB,
    }),
    toGoal('forked attempts that are not resolved', {
      measured: attempts.filter(({ outcome }) => outcome !== 'resolved').length,
      unit: '',
      atMost: 0,
      isCorrectness: true,
    }),
  ]
}

const toGoals = (system: string, workers: readonly WorkerFigures[], costs: ForkCosts | undefined): Goal[] => {
  const episodes = workers.flatMap((worker) => worker.episodes)
  const cpuOf = (...names: (typeof STAGES)[number][]): number =>
    median(episodes.map(({ stages }) => sum(names.map((name) => stages[name].cpuMs))))
  const rates = RATE_GOALS[system]
  const toGoal = (column: string, figure: Omit<Goal, 'what' | 'cell'>): Goal => ({
    what: `${system}: ${column}`,
    ...figure,
    cell: { subject: system, column },
  })
  const atLeast = (rate: number | undefined) => (rate === undefined ? {} : { atLeast: rate })
  return [
    toGoal('CPU to provision a cluster', { measured: cpuOf('provision'), unit: 'ms' }),
    toGoal('CPU to prepare an incident', { measured: cpuOf('open', 'prepare'), unit: 'ms' }),
    toGoal('CPU per attempt', { measured: cpuOf('attempt'), unit: 'ms' }),
    toGoal('prepared attempts', {
      measured:
        costs === undefined
          ? rateOf(workers, ({ stages }) => stages.attempt.cpuMs)
          : (workers.length * 1000) / costs.attemptCpuMs,
      unit: '/s',
      ...atLeast(rates?.attempts),
    }),
    toGoal('whole episodes', {
      measured: rateOf(workers, (episode) => totalOf(episode, 'cpuMs')),
      unit: '/s',
      ...atLeast(rates?.episodes),
    }),
    toGoal('memory per worker, peak', {
      measured: Math.max(...workers.map(({ peakMib }) => peakMib)),
      unit: 'MiB',
      atMost: MAX_WORKER_MIB,
    }),
    toGoal('attempts that are not resolved', {
      measured: episodes.filter(({ outcome }) => outcome !== 'resolved').length,
      unit: '',
      atMost: 0,
      isCorrectness: true,
    }),
    ...toForkGoals(toGoal, costs),
  ]
}

const describe = (problem: Problem, workers: readonly WorkerFigures[]): string => {
  const episodes = workers.flatMap((worker) => worker.episodes)
  const toText = (stage: (typeof STAGES)[number]): string =>
    `${stage} ${median(episodes.map(({ stages }) => stages[stage].cpuMs)).toFixed(0)} ms`
  const rate = rateOf(workers, (episode) => totalOf(episode, 'wallMs'))
  const failed = episodes.filter(({ outcome }) => outcome !== 'resolved')
  return [
    `${problem.id}: ${episodes.length} episodes on ${workers.length} workers; median CPU time: ${STAGES.map(toText).join(', ')}; ` +
      `${rate.toFixed(2)} whole episodes per second of real time, with what else ran on this machine`,
    ...failed.map(({ outcome, reason }) => `  ${outcome}: ${reason}`),
  ].join('\n')
}

const describeForks = ({ attempts, startMs, forkCpuMs }: ForkCosts): string =>
  `${forkCpuMs.length} forked attempts; CPU time of a fork: ${forkCpuMs.map((ms) => ms.toFixed(1)).join(', ')} ms; from the order until the ` +
  `attempt starts: at least ${Math.min(...startMs).toFixed(1)} ms of real time; CPU time of the kernel per attempt: ` +
  `${median(attempts.map(({ systemCpuMs }) => systemCpuMs)).toFixed(0)} ms`

interface SystemOptions extends WorkersOptions {
  readonly suite: string
  readonly fault: string
  /** The number of forked attempts that are measured. */
  readonly forks: number
}

/** Returns one missed goal if the system cannot be measured, so that the others are measured nevertheless. */
const measureSystem = async (
  system: string,
  { suite, fault, forks, ...options }: SystemOptions,
): Promise<Goal[]> => {
  try {
    const problem = await findProblem(suite, fault, system)
    const workers = await runWorkers(problem, options)
    console.log(describe(problem, workers))
    const costs = forks === 0 ? undefined : await forkAttempts(problem, forks)
    if (costs !== undefined) console.log(describeForks(costs))
    return toGoals(system, workers, costs)
  } catch (error) {
    console.log(`${system}: not available: ${(error as Error).message}`)
    return [{ what: `${system}: not available`, measured: 1, unit: '', atMost: 0, isCorrectness: true }]
  }
}

await runBench({
  name: 'sim',
  about:
    'Measures episodes on simulated clusters with the reference repair, by default on online-boutique and train-ticket.',
  operands: '[SYSTEM ...]',
  options: {
    suite: { about: 'the suite of the problem', value: 'NAME', text: 'smoke' },
    fault: { about: 'the fault of the problem; by default that of the first one', value: 'NAME', text: '' },
    workers: { about: 'how many processes play at the same time', count: availableParallelism(), quick: 1 },
    warmups: { about: 'episodes of each worker that are not measured', count: 1, quick: 0 },
    episodes: { about: 'measured episodes of each worker', count: 3, quick: 1 },
    forks: { about: 'forked attempts that are measured; 0 for none', count: 8, quick: 2 },
    timeout: { about: 'seconds after which the workers are stopped', count: 600 },
  },
  conditions: ({ values }) =>
    `${values.workers} workers, ${values.episodes} episodes each, after ${values.warmups} that are not measured; rates are those of the CPU time, as if nothing else ran`,
  async measure({ values, operands, isQuick }) {
    const { warmups: warmUps, timeout, ...rest } = values
    const systems = operands.length > 0 ? operands : Object.keys(RATE_GOALS).slice(0, isQuick ? 1 : undefined)
    const goals: Goal[] = []
    for (const system of systems)
      goals.push(...(await measureSystem(system, { ...rest, warmUps, timeoutMs: timeout * 1000 })))
    console.log(
      'Rates are derived from CPU time: they are those of a machine on which nothing else runs. A prepared attempt is counted without its preparation, ' +
        'but with its fork and the end of its process, where forks are possible.',
    )
    return goals
  },
})
