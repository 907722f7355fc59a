/** Tests which programs an agent can run, depending on the engine of the cluster. */
import { expect, it } from 'vitest'
import type { Incident } from '#exam/episode'
import { createModelCache } from '#examinee/models'
import { exampleManifest, exampleProblem } from '#lab/testing'
import type { EngineCluster, SolverContext, SolverEvent } from '#spec'
import { planEpisodes } from '../play/plan-episodes.ts'
import type { RunJob } from '../play/run-job.ts'
import { openSolver } from './open-solver.ts'

const problem = exampleProblem('a')
const contenders = [{ name: 'null', agent: 'null', models: {} }]
const job: RunJob = {
  problem,
  planned: planEpisodes(exampleManifest({ problems: [problem], contenders }))[0]!,
  engine: 'local',
  rollback: 'never',
  settings: {},
  record: '/nowhere/a.jsonl',
}

const listActions = async (cluster: Partial<EngineCluster>): Promise<string[]> => {
  const { solver, close } = await openSolver(job, {
    incident: {} as Incident,
    cluster: cluster as EngineCluster,
    models: createModelCache(),
    ask: async () => false,
  })
  const events: SolverEvent[] = []
  const context: Partial<SolverContext> = {
    briefing: {
      ...{ task: 'mitigation', system: 'shop', namespace: 'shop', budget: { steps: 1, seconds: 1 } },
      report: { kind: 'none', text: '' },
    },
    signal: new AbortController().signal,
    now: () => 0,
    record: (event) => void events.push(event),
    note() {},
    answer() {},
    registerWork() {},
    setExcuse() {},
    giveUp() {},
  }
  await solver.solve(context as SolverContext)
  await close()
  return events.flatMap((event) =>
    event.type === 'actions-offered' ? event.actions.map(({ name }) => name) : [],
  )
}

it('offers playbooks and a shell in a sandbox, or those of the engine', async () => {
  const runPlaybook: EngineCluster['runPlaybook'] = async () => Promise.reject(new Error('not called'))
  const runShell: EngineCluster['runShell'] = async () => Promise.reject(new Error('not called'))
  const both = expect.arrayContaining(['run_playbook', 'exec_shell'])
  expect(await listActions({})).toEqual(both)
  expect(await listActions({ runPlaybook, runShell })).toEqual(both)
  const playbooksOnly = await listActions({ runPlaybook })
  expect(playbooksOnly).toContain('run_playbook')
  expect(playbooksOnly).not.toContain('exec_shell')
})
