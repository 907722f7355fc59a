/** Tests that docs/peers.md gives the right counts of systems, faults and tasks, and names existing ones. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import { REPOSITORY } from '#kit'
import { TASKS } from '#spec'
import { listSystemNames } from '#world/systems'

const TEXT = readFileSync(join(REPOSITORY, 'docs', 'peers.md'), 'utf8')

/** The rows of the table with this heading in its second column. */
const rowsOf = (heading: string): string[][] => {
  const [, table = ''] = TEXT.split(new RegExp(`^\\| [^|]+ \\| ${heading} \\|.*\\n.*\\n`, 'm'))
  const [rows = ''] = table.split('\n\n')
  return rows.split('\n').map((row) => row.split('|').slice(1, -1))
}
const namesIn = (text: string): string[] => [...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!)

it('counts systems, faults and tasks', async () => {
  const lastCell = (row: string): string | undefined =>
    new RegExp(`^\\| ${row} \\|.*\\| (.+?) \\|$`, 'm').exec(TEXT)?.[1]
  expect(lastCell('systems')).toBe(`${listSystemNames().length} systems`)
  expect(lastCell('faults')).toBe(`${(await loadFaults()).size} faults`)
  expect(lastCell('tasks')).toBe(`${TASKS.length} tasks`)
})

it('names tasks that exist', () => {
  const rows = rowsOf('closest task')
  expect(rows.length).toBeGreaterThan(4)
  for (const [, task = ''] of rows) expect(TASKS).toContain(namesIn(task)[0])
})

it('names faults that exist', async () => {
  const faults = await loadFaults()
  const rows = rowsOf('closest faults')
  expect(rows.length).toBeGreaterThan(4)
  for (const [, names = ''] of rows) {
    expect(namesIn(names).length).toBeGreaterThan(0)
    expect(namesIn(names).filter((name) => !faults.has(name))).toEqual([])
  }
})
