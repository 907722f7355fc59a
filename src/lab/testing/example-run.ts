/** Example manifests and results for tests. */
import { type EpisodeResult, type Problem, RUN_SCHEMA, type RunManifest, type System } from '#spec'

export const exampleProblem = (id: string, overrides: Partial<Problem> = {}): Problem => ({
  id,
  system: 'shop',
  task: 'mitigation',
  faults: [],
  report: 'symptoms',
  budget: { steps: 5, seconds: 60 },
  seed: '{}',
  ...overrides,
})

/** A system without services, for tests that load the system of a problem. */
export const loadExampleSystem = async (name: string): Promise<System> => ({
  name,
  about: 'An example.',
  namespace: name,
  manifests: [],
  images: [],
  entryPoints: [],
  workload: { load: { loop: 'closed', users: 1 }, journeys: [] } as unknown as NonNullable<
    System['workload']
  >,
})

export const exampleManifest = (overrides: Partial<RunManifest> = {}): RunManifest => ({
  schema: RUN_SCHEMA,
  id: 'r',
  created: 0,
  command: 'remedium run',
  commit: 'c1',
  version: '0',
  engine: 'local',
  seed: 'own',
  suites: ['easy'],
  epochs: 1,
  rollback: 'never',
  settings: {},
  problems: [exampleProblem('a'), exampleProblem('b')],
  contenders: [{ name: 'expert', agent: 'expert', models: {} }],
  suiteOf: { a: 'easy', b: 'easy' },
  ...overrides,
})

export const exampleResult = (episode: string, overrides: Partial<EpisodeResult> = {}): EpisodeResult => ({
  episode,
  problem: episode.split('.')[0]!,
  system: 'shop',
  task: 'mitigation',
  faults: ['x'],
  categories: ['cpu-stress'],
  suite: 'easy',
  contender: 'expert',
  epoch: 1,
  outcome: 'resolved',
  reason: 'well',
  judged: {},
  stages: {},
  tries: 1,
  ended: 0,
  metrics: {
    steps: 2,
    tokens: { input: 10, output: 5 },
    costUsd: 0.01,
    timeToMitigate: 4000,
    collateralDamage: 0,
    journeyRunsFailed: 0,
    journeyRuns: 10,
  },
  ...overrides,
})
