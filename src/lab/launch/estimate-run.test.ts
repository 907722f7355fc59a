/** Tests the estimates of time, tokens and cost, and where they come from. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { planEpisodes } from '#lab/runs'
import { exampleManifest, exampleProblem, exampleResult } from '#lab/testing'
import type { Contender, EpisodeResult, RunSettings } from '#spec'
import { estimateRun, estimateText } from './estimate-run.ts'

const REACT: Contender = { name: 'react x:one', agent: 'react', models: { solver: 'x:one' } }
const EXPERT: Contender = { name: 'expert', agent: 'expert', models: {} }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'estimate-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const writeRun = (name: string, results: readonly EpisodeResult[]): void => {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'manifest.json'), JSON.stringify(exampleManifest()))
  writeFileSync(
    join(folder, name, 'results.jsonl'),
    results.map((result) => `${JSON.stringify(result)}\n`).join(''),
  )
}

const resultAfter = (seconds: number, overrides: Partial<EpisodeResult> = {}): EpisodeResult =>
  exampleResult(`${Math.random()}.1.1`, {
    contender: REACT.name,
    system: 'simple-micro',
    stages: { total: seconds * 1000 },
    ...overrides,
  })

interface EstimateInputs {
  readonly contenders?: readonly Contender[]
  readonly systems?: readonly string[]
  readonly settings?: RunSettings
  readonly workers?: number
}

const estimate = async ({
  contenders = [REACT],
  systems = ['simple-micro', 'simple-micro'],
  settings = {},
  workers = 1,
}: EstimateInputs = {}) => {
  const problems = systems.map((system, index) => exampleProblem(`p${index}`, { system }))
  const left = planEpisodes(exampleManifest({ problems, contenders }))
  const result = await estimateRun({ left, settings, workers, folder })
  return { ...result, text: estimateText(result).replaceAll(folder, 'runs') }
}

it('takes the time from earlier episodes of the same contender, except void ones', async () => {
  writeRun('one', [
    resultAfter(10),
    resultAfter(20),
    resultAfter(1000, { outcome: 'void' }),
    resultAfter(90, { contender: 'expert' }),
  ])
  writeRun('two', [resultAfter(60), resultAfter(500, { task: 'detection' })])
  const { time, text } = await estimate()
  expect(time).toEqual({ seconds: 40, sources: { 'same-contender': 2 } })
  expect(text).toContain(
    'time    about 40 s with 1 worker; 2 episodes, from earlier episodes of the same contender in runs',
  )
})

it('includes the preparation of an episode', async () => {
  writeRun('one', [
    resultAfter(10, { stages: { total: 10_000, prepare: 25_000, solve: 4000, verify: 1000 } }),
  ])
  expect((await estimate()).time.seconds).toBe(60)
})

it('falls back to other contenders, then to the measured table, then to n/a', async () => {
  expect((await estimate()).time).toEqual({ seconds: 15, sources: { 'measured-table': 2 } })
  expect((await estimate()).text).toContain('2 episodes, from bench/results/episode.json (reference repairs')
  const unknown = await estimate({ systems: ['simple-micro', 'unheard-of'] })
  expect(unknown.time).toEqual({ sources: { 'measured-table': 1 } })
  expect(unknown.text).toContain('time    n/a')
  writeRun('one', [resultAfter(10, { contender: 'expert' })])
  expect((await estimate()).time).toEqual({ seconds: 20, sources: { 'other-contenders': 2 } })
})

it('divides the time by the workers, and counts several slots for a large system', async () => {
  writeRun('one', [resultAfter(10), resultAfter(10, { system: 'train-ticket' })])
  const four = Array.from({ length: 4 }, () => 'simple-micro')
  expect((await estimate({ systems: four, workers: 2 })).time.seconds).toBe(20)
  expect((await estimate({ systems: four, workers: 8 })).time.seconds).toBe(10)
  const large = four.map(() => 'train-ticket')
  const { seconds } = (await estimate({ systems: large, workers: 2 })).time
  // On a machine with many cores both workers run at the same time.
  expect(seconds).toBeGreaterThanOrEqual(20)
  expect(seconds).toBeLessThanOrEqual(40)
})

it('takes tokens from earlier episodes of the same contender, and their cost from the price', async () => {
  const withoutHistory = await estimate()
  expect(withoutHistory.usage).toEqual({ withoutTokens: [REACT.name], withoutCost: [] })
  expect(withoutHistory.text).toMatch(
    /tokens {2}n\/a: runs has no earlier episode of react x:one\ncost {4}n\/a$/,
  )

  const metrics = (input: number, output: number) => {
    const { costUsd: _, ...others } = resultAfter(1).metrics
    return { ...others, tokens: { input, output } }
  }
  writeRun('one', [
    resultAfter(1, { metrics: metrics(1000, 100) }),
    resultAfter(1, { metrics: metrics(3000, 300) }),
  ])
  const unpriced = await estimate()
  expect(unpriced.usage).toEqual({
    tokens: { input: 4000, output: 400 },
    withoutTokens: [],
    withoutCost: [REACT.name],
  })
  expect(unpriced.text).toContain(
    'tokens  about 4,000 in, 400 out; from earlier episodes of the same contenders in runs',
  )
  expect(unpriced.text).toContain('cost    n/a: the price of react x:one is unknown')
  const priced = await estimate({ settings: { price: '100,1000' } })
  expect(priced.usage.costUsd).toBeCloseTo(0.8)
  expect(priced.text).toContain('cost    about $0.8000')
})

it('takes the cost from earlier episodes if the price of the model is unknown', async () => {
  writeRun('one', [resultAfter(1)])
  expect((await estimate()).usage.costUsd).toBeCloseTo(0.02)
})

it('counts no tokens for agents without a model, and ignores runs that cannot be read', async () => {
  writeRun('one', [])
  writeFileSync(join(folder, 'one', 'results.jsonl'), 'not JSON\n')
  const { usage, text } = await estimate({ contenders: [EXPERT] })
  expect(usage).toEqual({
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    withoutTokens: [],
    withoutCost: [],
  })
  expect(text).toMatch(/tokens {2}none\ncost {4}none$/)
})
