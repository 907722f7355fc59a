/** An example run for tests. */
import { summariseRun } from '#lab/runs'
import { type EpisodeResult, RUN_SCHEMA, type RunManifest } from '#spec'
import type { ReportedRun } from '../reported-run.ts'
import { exampleProblem, exampleRecord, exampleResult } from './example-record.ts'

export const exampleRun = (
  changes: {
    manifest?: Partial<RunManifest>
    results?: readonly EpisodeResult[]
    record?: ReportedRun['record']
    name?: string
  } = {},
): ReportedRun => {
  const manifest: RunManifest = {
    schema: RUN_SCHEMA,
    id: 'r1',
    created: 1_794_755_682_927,
    command: 'remedium run easy',
    commit: 'abc',
    version: '0.1.0',
    engine: 'local',
    seed: 'remedium',
    suites: ['easy'],
    problems: [exampleProblem()],
    contenders: [{ name: 'expert', agent: 'expert', models: {} }],
    epochs: 1,
    rollback: 'never',
    suiteOf: {},
    settings: {},
    ...changes.manifest,
  }
  const results = changes.results ?? [exampleResult()]
  return {
    name: changes.name ?? 'r1',
    manifest,
    results,
    summary: summariseRun(manifest, results),
    recordPath: (episode) => `records/${episode}.jsonl`,
    record: changes.record ?? (() => exampleRecord()),
  }
}
