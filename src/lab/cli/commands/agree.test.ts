/** Tests `remedium agree` on ledgers in files: results, the page, and invalid input. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand as run } from '../testing/run-command.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agree-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const line = (attempt: string, outcome: string): object => ({
  ...{ problem: 'shop.leak.cart', system: 'shop', task: 'mitigation', faults: ['leak'], attempt, outcome },
  ...{
    expected: attempt === 'reference' ? 'resolved' : 'unresolved',
    reason: `it is ${outcome}`,
    stages: {},
    hasImpact: true,
    alerts: [],
    damage: 0,
    tries: 1,
  },
})

const write = (engine: 'local' | 'sim', ...lines: object[]): string => {
  const path = join(folder, `${engine}.jsonl`)
  const head = {
    ledger: 1,
    suite: 'smoke',
    seed: 'own',
    commit: 'abc',
    ...(engine === 'sim' ? { engine } : {}),
  }
  writeFileSync(path, [head, ...lines].map((value) => `${JSON.stringify(value)}\n`).join(''))
  return path
}

it('compares two ledgers, and writes the page', async () => {
  const local = write('local', line('do-nothing', 'unresolved'), line('reference', 'resolved'))
  // The last line of an attempt counts.
  const sim = write(
    'sim',
    line('do-nothing', 'void'),
    line('reference', 'resolved'),
    line('do-nothing', 'unresolved'),
  )
  const page = join(folder, 'page.md')
  const { code, out } = await run('agree', local, sim, '--out', page)
  expect(out).toContain('2 of 2 attempts at 1 problems have the same verdict on both engines: 100.0 %')
  expect(code).toBe(0)
  expect(readFileSync(page, 'utf8')).toContain('- command: `remedium agree local.jsonl sim.jsonl`')
})

it('exits with 1 if too few verdicts are equal', async () => {
  const local = write('local', line('do-nothing', 'unresolved'), line('reference', 'resolved'))
  const sim = write('sim', line('do-nothing', 'unresolved'), line('reference', 'unresolved'))
  const { code, out } = await run('agree', sim, local, '--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ equal: 1, different: 1, share: 0.5 })
  expect((await run('agree', local, sim, '--min-equal', '50')).code).toBe(0)
  expect((await run('agree', local, sim, '--fault', 'other')).out).toContain('No attempt has a verdict')
})

it('rejects missing engines, other files and no arguments in one sentence', async () => {
  const local = write('local', line('do-nothing', 'unresolved'))
  expect((await run('agree', local)).err).toContain('None of the ledgers is of the engine sim.')
  expect((await run('agree', join(folder, 'none'))).err).toContain('cannot be read')
  writeFileSync(join(folder, 'other'), '{}\n')
  expect((await run('agree', join(folder, 'other'))).err).toContain('is not a ledger')
  expect((await run('agree')).code).toBe(2)
  expect((await run('agree', 'smoky', '--ledgers', folder)).err).toContain(
    'There is no suite, problem or file "smoky"',
  )
})
