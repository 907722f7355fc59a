/** Tests that docs/agreement.md, which `remedium agree` writes, covers every fault and states its commit and date. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import { REPOSITORY } from '#kit'

const page = readFileSync(join(REPOSITORY, 'docs', 'agreement.md'), 'utf8')

/** The rows of the table under a heading: the first cell and the others. */
const rowsOf = (heading: string): ReadonlyMap<string, readonly string[]> => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return new Map(
    section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .map(([name, ...cells]) => [name!, cells]),
  )
}

it('has a verdict on both engines for an attempt at each fault', async () => {
  const rows = rowsOf('By fault')
  for (const fault of (await loadFaults()).keys()) {
    const [equal, different] = rows.get(fault) ?? []
    expect(Number(equal ?? 0) + Number(different ?? 0), `attempts at ${fault}`).toBeGreaterThan(0)
  }
})

it('states its commit, its date and the share of equal verdicts', () => {
  expect(page).toMatch(/^- commit: [0-9a-f]{8}/m)
  expect(page).toMatch(/^- date: \d{4}-\d\d-\d\d$/m)
  expect(page).toMatch(/have the same verdict on both engines: \d+\.\d %/)
})
