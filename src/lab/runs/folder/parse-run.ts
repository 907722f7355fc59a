/** Parses and validates the files of a run folder. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type EpisodeResult, RemediumError, RUN_SCHEMA, type RunManifest } from '#spec'
import { upgradeManifest } from './upgrade-manifest.ts'
import { upgradeResult } from './upgrade-result.ts'

const text = z.string()
const problem = z.looseObject({
  id: text,
  system: text,
  task: text,
  report: text,
  seed: text,
  faults: z.array(z.looseObject({ fault: text, target: z.looseObject({ service: text }) })),
  budget: z.looseObject({ steps: z.number(), seconds: z.number() }),
})

const manifest = z.looseObject({
  schema: z.literal([1, RUN_SCHEMA]),
  id: text,
  created: z.number(),
  command: text,
  commit: text,
  version: text,
  engine: text,
  seed: text,
  variant: z.enum(['shipped', 'seeded', 'private']).optional(),
  secret: text.min(1).optional(),
  suites: z.array(text),
  problems: z.array(problem),
  contenders: z.array(z.looseObject({ name: text, agent: text, models: z.record(text, text) })).min(1),
  epochs: z.int().min(1),
  rollback: z.enum(['never', 'on-failure', 'on-harm']),
  suiteOf: z.record(text, text),
  settings: z.looseObject({}),
})

const count = z.number().min(0)
const result = z.looseObject({
  episode: text,
  problem: text,
  system: text,
  task: text,
  suite: text,
  contender: text,
  faults: z.array(text),
  categories: z.array(text),
  epoch: z.int().min(1),
  reason: text,
  outcome: z.enum(['resolved', 'unresolved', 'void']),
  judged: z.record(text, z.boolean().nullable()),
  metrics: z.looseObject({
    steps: count,
    writes: count.optional(),
    tokens: z.looseObject({ input: count, output: count }),
    costUsd: count.optional(),
    collateralDamage: count,
    journeyRunsFailed: count,
    journeyRuns: count,
  }),
  passesMicroRemedCheck: z.boolean().optional(),
  stages: z.record(text, z.number()),
  tries: z.int().min(1),
  ended: z.number(),
})

const parse = <T>(schema: z.ZodType, value: unknown, place: string): T => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data as T
  const [issue] = parsed.error.issues
  throw new RemediumError('bad-file', `${place}: ${issue!.path.join('.') || 'value'}: ${issue!.message}.`)
}

const parseJson = (content: string, path: string): unknown => {
  try {
    return JSON.parse(content)
  } catch (cause) {
    throw new RemediumError('bad-file', `${path} is not JSON.`, { cause })
  }
}

/** Upgrades manifests of older versions. */
export const readManifest = (path: string): RunManifest => ({
  ...parse<RunManifest>(manifest, upgradeManifest(parseJson(readFileSync(path, 'utf8'), path)), path),
  schema: RUN_SCHEMA,
})

/** Upgrades results of schema 1. The last line of an episode counts. */
export const parseResults = (values: readonly unknown[], path: string): EpisodeResult[] => {
  const byEpisode = new Map<string, EpisodeResult>()
  for (const [index, value] of values.entries()) {
    const parsed = parse<EpisodeResult>(result, upgradeResult(value), `${path}, line ${index + 1}`)
    byEpisode.delete(parsed.episode)
    byEpisode.set(parsed.episode, parsed)
  }
  return [...byEpisode.values()]
}
