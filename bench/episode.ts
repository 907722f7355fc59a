/**
 * The goal of an episode: from the injection to the verdict in at most 10 s with the reference fix, as the median over
 * the suite `smoke`, on two clusters side by side. `--suite NAME`, `--system NAME` and `--limit N` make it shorter.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadFaults } from '../src/faults/index.ts'
import { loadSuite } from '../src/problems/index.ts'
import { type AttemptResult, openLedger, type Stages, validateSuite } from '../src/runs/index.ts'
import type { SystemView } from '../src/spec/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { loadSystem } from '../src/systems/index.ts'
import { barePlaybook } from './episode-parts/bare-playbook.ts'
import { median, printGoals } from './measure/goals.ts'

const MOST_SECONDS = 10
const STAGES = ['inject', 'shown', 'report', 'act', 'verify'] as const

const { values } = parseArgs({
  options: {
    suite: { type: 'string', default: 'smoke' },
    system: { type: 'string' },
    limit: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '2' },
  },
})

const inSeconds = (ms: number): string => (ms / 1000).toFixed(2)

const percentile95 = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(list.length * 0.95) - 1)] ?? Number.NaN

const describe = ({ problem, outcome, reason, stages }: AttemptResult): string => {
  const shares = STAGES.map((stage) => `${stage} ${inSeconds(stages[stage] ?? Number.NaN)}`)
  const judged = outcome === 'resolved' ? '' : `  ${outcome}: ${reason}`
  return `${inSeconds(stages.total ?? Number.NaN).padStart(6)} s  ${problem}  (${shares.join(', ')})${judged}`
}

const playAll = async (): Promise<readonly AttemptResult[]> => {
  const problems = await loadSuite(values.suite, { system: values.system })
  const chosen = problems.slice(0, Number(values.limit))
  const names = [...new Set(chosen.map(({ system }) => system))]
  const views = new Map<string, SystemView>()
  for (const name of names) views.set(name, createSystemView(await loadSystem(name)))
  const asked = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => asked.abort(new Error(`ended by ${signal}`)))
  const ledger = openLedger(undefined, { suite: values.suite, seed: 'own', commit: 'bench' })
  await validateSuite(chosen, {
    ledger,
    workers: Number(values.workers),
    hackShare: 0,
    seed: 'bench',
    signal: asked.signal,
    // Where doing nothing is right, it is what the reference does.
    only: ['right'],
    faults: await loadFaults(),
    commonHacks: [],
    systemOf: (name) => views.get(name)!,
    onProgress: ({ result }) => console.log(describe(result)),
    onFailure: ({ id }, { message }) => console.log(`repeated: ${id}: ${message}`),
  })
  return ledger.results
}

const state = mkdtempSync(join(tmpdir(), 'bench-episode-'))
process.env.REMEDIUM_STATE = state
try {
  const bare = await barePlaybook()
  const results = await playAll()
  const judged = results.filter(({ stages }) => stages.total !== undefined)
  const of = (stage: keyof Stages): number[] => judged.map(({ stages }) => stages[stage]!)
  console.log(`${judged.length} episodes; Ansible alone, with nothing to do, takes ${inSeconds(bare)} s.`)
  for (const stage of STAGES)
    console.log(
      `  ${stage.padEnd(7)} median ${inSeconds(median(of(stage)))} s, p95 ${inSeconds(percentile95(of(stage)))} s`,
    )
  const unresolved = results.filter(({ outcome }) => outcome !== 'resolved').length
  process.exitCode = printGoals([
    {
      what: 'injection to verdict, median',
      measured: median(of('total')) / 1000,
      unit: 's',
      atMost: MOST_SECONDS,
    },
    {
      what: 'injection to verdict, p95',
      measured: percentile95(of('total')) / 1000,
      unit: 's',
      atMost: 3 * MOST_SECONDS,
    },
    { what: 'episodes that the reference does not resolve', measured: unresolved, unit: '', atMost: 0 },
  ])
} finally {
  rmSync(state, { recursive: true, force: true })
}
