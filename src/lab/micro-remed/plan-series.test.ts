/** Tests the plan of a series. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exampleProblem } from '#lab/testing'
import { planSeries } from './plan-series.ts'

it("asks for MicroRemed's own check, and keeps the other settings", async () => {
  const home = mkdtempSync(join(tmpdir(), 'plan-series-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const { settings } = await planSeries({
    title: 'easy',
    problems: [exampleProblem('a')],
    method: 'expert',
    model: undefined,
    settings: { maxTokens: 5 },
    workers: 1,
    seed: undefined,
    out: join(home, 'run'),
    outOption: '--out',
    savePath: join(home, 'saved'),
    savePathOption: '--save-path',
    anyCommit: true,
    resumeHint: 'Run the same command to resume.',
    command: 'remedium run-all',
    root: process.cwd(),
    progress() {},
  })
  expect(settings).toEqual({ maxTokens: 5, checksLikeMicroRemed: true })
})
