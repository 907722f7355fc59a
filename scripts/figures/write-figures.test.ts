/** Tests the figures in README.md and their tables. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type BenchResult, type ResultRow, readResult } from '#bench'
import { defined } from '#kit'
import { writeFigures } from './write-figures.ts'

const README = join(import.meta.dirname, '..', '..', 'README.md')

const writeRows = (rows: ResultRow[], conditions?: string): string => {
  const result: BenchResult = {
    commit: 'abc1234',
    date: '2026-11-17',
    cores: 2,
    ...defined({ conditions }),
    rows,
  }
  return writeFigures('before\n<!-- figures:local -->\nold\n<!-- /figures -->\nafter', () => result)
}

it('leaves README.md unchanged, because its figures are up to date', () => {
  const text = readFileSync(README, 'utf8')
  expect(text).toContain('<!-- figures:local -->')
  expect(text).toContain('<!-- figures:systems -->')
  expect(text).toContain('<!-- figures:run -->')
  expect(writeFigures(text, readResult)).toBe(text)
})

it('writes a row per measurement, below the commit and the date', () => {
  const rows = [
    { what: 'one pod', measured: 66.28, unit: 'ms', goal: 'at most 150' },
    { what: 'on time', measured: 99.93, unit: '%', goal: 'at least 99' },
    { what: 'pods', measured: 50, unit: '' },
  ]
  expect(writeRows(rows)).toBe(`before
<!-- figures:local -->
\`npm run bench local\` at commit abc1234, 2026-11-17, 2 cores:

|  | measured | goal |
| --- | --- | --- |
| one pod | 66 ms | 150 ms |
| on time | 99.9 % | ≥ 99 % |
| pods | 50 |  |
<!-- /figures -->
after`)
})

it('writes a row per subject, with shared goals in the heading', () => {
  const cell = (subject: string, column: string, measured: number, goal?: string): ResultRow => ({
    ...{ what: `${subject}: ${column}`, measured, unit: 's', subject, column },
    ...defined({ goal }),
  })
  const rows = [
    cell('shop', 'up', 1.62, 'at most 2'),
    cell('shop', 'down', 0.4, 'at most 3'),
    cell('trains', 'up', 9.3),
    cell('trains', 'down', 0.5, 'at most 3'),
  ]
  expect(writeRows(rows, 'five rounds')).toContain(`2 cores; five rounds:

|  | up | down (goal 3 s) |
| --- | --- | --- |
| shop | 1.6 s (goal 2 s) | 0.4 s |
| trains | 9.3 s | 0.5 s |
`)
})
