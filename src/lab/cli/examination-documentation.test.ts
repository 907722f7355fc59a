/** Tests that docs/validity/examination.md names only tests, hacks and repairs that exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadFaults } from '#exam/faults'
import { COMMON_HACKS } from '#exam/hacks'
import { RIGHT_REPAIRS } from '#exam/right-repairs'
import { REPOSITORY } from '#kit'

const rows = readFileSync(join(REPOSITORY, 'docs', 'validity', 'examination.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (finding|---) /.test(line))
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([finding = '', mechanism = '', tests = '']) => ({ finding, mechanism, tests: tests.split('<br>') }))

it.each(rows)('$finding is shown by tests that exist', ({ tests }) => {
  const missing = tests.filter((test) => {
    const [, file = '', title = ''] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(test) ?? []
    const path = join(REPOSITORY, file)
    if (file === '' || !existsSync(path)) return true
    const text = readFileSync(path, 'utf8').replaceAll("\\'", "'")
    return !["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`))
  })
  expect(missing).toEqual([])
})

it('names hacks and repairs that exist', async () => {
  const faults = [...(await loadFaults()).values()]
  const hacks = [...COMMON_HACKS, ...faults.flatMap((fault) => fault.hacks)].map(({ name }) => name)
  const repairs = RIGHT_REPAIRS.map(({ name }) => name)
  const namesAfter = (word: string): string[] =>
    rows.flatMap(({ mechanism }) => {
      const [, list = ''] = new RegExp(`${word}s?: (.+)$`).exec(mechanism) ?? []
      return [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
    })
  expect(namesAfter('Hack').filter((name) => !hacks.includes(name))).toEqual([])
  expect(namesAfter('Repair').filter((name) => !repairs.includes(name))).toEqual([])
  expect(namesAfter('Hack').length).toBeGreaterThan(5)
  expect(namesAfter('Repair').length).toBeGreaterThan(5)
})
