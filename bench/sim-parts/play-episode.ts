/** Plays one episode on a simulated cluster with the reference repair, and measures each stage in CPU time and real time. */
import { openLaboratory, referenceSolver } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { createSimEngine } from '#platform/engines/sim'
import { inTimeOf, type Problem, type Verdict } from '#spec'
import { loadSystem } from '#world/systems'

/** `open` starts the users and runs every journey once. */
export const STAGES = ['provision', 'open', 'prepare', 'attempt', 'close'] as const

export interface StageCost {
  readonly cpuMs: number
  readonly wallMs: number
}

export interface EpisodeFigures {
  readonly stages: Readonly<Record<(typeof STAGES)[number], StageCost>>
  readonly outcome: Verdict['outcome']
  readonly reason: string
}

/** The CPU time includes the threads that collect garbage and compile. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const measure = async <T>(work: () => Promise<T>): Promise<{ value: T; cost: StageCost }> => {
  const startCpuMs = cpuMs()
  const startMs = performance.now()
  const value = await work()
  return { value, cost: { cpuMs: cpuMs() - startCpuMs, wallMs: performance.now() - startMs } }
}

export const playEpisode = async (problem: Problem): Promise<EpisodeFigures> => {
  const { seed } = problem
  const system = await loadSystem(problem.system)
  const faults = await loadFaults()
  const provision = await measure(() => createSimEngine().provision(system, { seed }))
  const cluster = provision.value
  const open = await measure(() => openLaboratory({ cluster, system, faults, seed, engine: 'sim' }))
  const prepare = await measure(() => open.value.prepare(problem))
  const incident = prepare.value
  const attempt = await measure(() => incident.attempt(referenceSolver(incident)))
  const close = await measure(async () => {
    await open.value.close()
    await inTimeOf(cluster, () => cluster.close())
  })
  const { outcome, reason } = attempt.value.verdict
  return {
    stages: {
      provision: provision.cost,
      open: open.cost,
      prepare: prepare.cost,
      attempt: attempt.cost,
      close: close.cost,
    },
    outcome,
    reason,
  }
}
