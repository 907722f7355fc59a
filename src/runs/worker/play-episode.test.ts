/** Shows what a worker tells of an episode that could not be judged. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Prepared } from '../../episode/index.ts'
import { keepModels } from '../../models/index.ts'
import type { EpisodeEvent } from '../../spec/index.ts'
import type { AgentJob } from '../play/agent-job.ts'
import { planEpisodes } from '../play/plan-episodes.ts'
import { madeManifest, madeProblem } from '../testing/made-run.ts'
import type { ReadyBench } from './keep-bench.ts'
import { playEpisode } from './play-episode.ts'

const problem = madeProblem('a')

/** As the laboratory leaves it where the key of a model is wrong. */
const spoilt: Pick<Prepared, 'problem' | 'shown' | 'attempt'> = {
  ...{ problem, shown: true },
  async attempt(_, { sink } = {}) {
    const failure: EpisodeEvent = {
      ...{ at: 1, type: 'harness-failed', code: 'key-missing', message: 'wrong key', blame: 'operator' },
    }
    sink?.(failure)
    const verdict = { outcome: 'void', blame: 'operator', reason: 'wrong key' }
    const answers = [
      { usage: { input: 100, output: 7 }, costUsd: 0.25 },
      { usage: { input: 20, output: 3 }, costUsd: 0.5 },
    ]
    const called = answers.map((answer) => ({ type: 'model-called', answer }))
    return { events: [...called, failure], verdict } as unknown as Awaited<ReturnType<Prepared['attempt']>>
  },
}

it('says whose fault it was, by which code the run ends, what was paid in vain, and keeps no record of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'play-episode-'))
  const job: AgentJob = {
    ...{ problem, planned: planEpisodes(madeManifest({ problems: [problem] }))[0]!, rollback: 'never' },
    ...{ attempts: [{ name: 'a.1.1' }], settings: {}, record: join(folder, 'a.1.1.jsonl') },
  }
  const bench = { lab: { prepare: async () => spoilt }, cluster: { server: 'none' } }
  const benches = {
    ready: async () => ({ provision: 0, restore: 0, bench }) as unknown as ReadyBench,
    leave() {},
    async close() {},
  }
  const context = {
    signal: new AbortController().signal,
    ...{ stage() {}, alive() {}, finished() {}, ask: async () => false },
  }
  try {
    await expect(
      playEpisode(job, context, { benches, faults: new Map(), models: keepModels() }),
    ).rejects.toMatchObject({
      blame: 'operator',
      code: 'key-missing',
      message: 'wrong key (until then: 120 tokens in, 10 out, $0.7500)',
    })
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
