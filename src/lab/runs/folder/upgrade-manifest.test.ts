/** Tests that manifests of older versions are upgraded. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exampleManifest } from '#lab/testing'
import { readRun } from './run-folder.ts'
import { upgradeManifest } from './upgrade-manifest.ts'

it('upgrades the manifest of a run that is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'old-manifest-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const old = { ...exampleManifest(), settings: { tellsVerdict: true } }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(old))
  expect(readRun(folder).manifest.settings).toEqual({ reportsVerdict: true })
})

it('renames the settings and agent options of older versions', () => {
  expect(
    upgradeManifest({
      id: 'run',
      settings: {
        tellsVerdict: true,
        external: './agent.py',
        agentOptions: {
          'think-remed': { looks: '2', trials: '5' },
          external: { reach: '127.0.0.1:11434' },
          react: { looks: '2' },
        },
      },
    }),
  ).toEqual({
    id: 'run',
    settings: {
      reportsVerdict: true,
      external: './agent.py',
      agentOptions: {
        'think-remed': { observationRounds: '2', trials: '5' },
        external: { connect: '127.0.0.1:11434' },
        react: { looks: '2' },
      },
    },
  })
})

it.each([
  { id: 'run', settings: { reportsVerdict: true, isApproved: true } },
  { id: 'run', settings: {} },
  { id: 'run', settings: 7 },
  [],
  null,
])('returns %j unchanged', (manifest) => {
  expect(upgradeManifest(manifest)).toEqual(manifest)
})
