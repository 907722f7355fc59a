/** Tests that problems are drawn for a MicroRemed list. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadMicroRemedList } from './load-micro-remed-list.ts'

it('draws a remediation problem for each line on the given system', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mine.txt')
  writeFileSync(file, '# two\npod-fail\nnetwork-loss\n')
  const problems = await loadMicroRemedList(file, { system: 'online-boutique' })
  expect(problems.map(({ faults }) => faults[0]!.fault)).toEqual(['pod-fail', 'network-loss'])
  expect(problems[0]).toMatchObject({ system: 'online-boutique', task: 'remediation', report: 'label' })
  expect(await loadMicroRemedList(file, { system: 'online-boutique', seed: 'mine' })).toEqual(problems)
  await expect(loadMicroRemedList(file, {})).rejects.toThrow('mine.txt does not name a system')
  await expect(loadMicroRemedList(join(folder, 'none.txt'), {})).rejects.toThrow('cannot be read')
})
