/** Tests that results of schema 1 are upgraded. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exampleManifest, exampleResult } from '#lab/testing'
import { readRun } from './run-folder.ts'

it('reads a run of schema 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-1-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'records'))
  const { journeyRuns, journeyRunsFailed, ...metrics } = exampleResult('a.1.1').metrics
  const old = {
    ...exampleResult('a.1.1'),
    metrics: { ...metrics, walks: journeyRuns, walksLost: journeyRunsFailed },
    stages: { inject: 1, shown: 2, report: 3, act: 4, verify: 5, total: 15 },
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...exampleManifest(), schema: 1 }))
  writeFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(old)}\n`)
  const { manifest, results } = readRun(folder)
  expect(manifest).toEqual(exampleManifest())
  expect(results).toEqual([
    exampleResult('a.1.1', {
      stages: { inject: 1, impact: 2, report: 3, solve: 4, verify: 5, total: 15 },
    }),
  ])
})
