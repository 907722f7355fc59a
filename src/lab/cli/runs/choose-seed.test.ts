/** Tests of private variants: problems drawn from a seed that only the run contains. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRunFolder } from '#lab/runs'
import type { Problem, RunManifest } from '#spec'
import { runCommand as run } from '../testing/run-command.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'choose-seed-'))
})
afterEach(() => {
  rmSync(home, { recursive: true })
})

const planRun = async (...args: string[]): Promise<RunManifest> => {
  const { code, out, err } = await run('run', '--dry-run', '--json', 'core', '--agent', 'expert', ...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out).manifest
}

const kindOf = ({ system, task, report, faults }: Problem): string =>
  [system, task, report, ...faults.map(({ fault }) => fault)].join(' ')
const targetsOf = ({ faults }: Problem): string => JSON.stringify(faults.map(({ target }) => target))

describe('remedium run --seed secret', () => {
  it('draws other targets and parameters for the same faults, and keeps the seed', async () => {
    const [shipped, first, second] = [
      await planRun(),
      await planRun('--seed', 'secret'),
      await planRun('--seed', 'secret'),
    ]
    expect(shipped).toMatchObject({ seed: 'own', variant: 'shipped' })
    expect(first.variant).toBe('private')
    expect(first.seed).toMatch(/^[0-9a-f]{32}$/)
    expect(second.seed).not.toBe(first.seed)
    expect(first.command).toContain('--seed secret')
    expect(first.problems.map(kindOf)).toEqual(shipped.problems.map(kindOf))
    const shippedIds = new Set(shipped.problems.map(({ id }) => id))
    expect(first.problems.filter(({ id }) => shippedIds.has(id))).toEqual([])
    const withOtherTargets = first.problems.filter(
      (problem, index) => targetsOf(problem) !== targetsOf(shipped.problems[index]!),
    )
    expect(withOtherTargets.length).toBeGreaterThan(first.problems.length / 3)
  })

  it('resumes the run in its folder with the seed that was drawn', async () => {
    const manifest = await planRun('--seed', 'secret')
    const path = join(home, 'run')
    openRunFolder(path, { manifest, commit: manifest.commit }).close()
    const again = await planRun('--seed', 'secret', '--out', path)
    expect(again.problems).toEqual(manifest.problems)
  })

  it.each([['simple-micro.cpu-stress.hello-service.remediation.00000000'], ['fixed.json']])(
    'rejects %s, whose problems it cannot draw',
    async (source) => {
      const path = source.endsWith('.json') ? join(home, source) : source
      if (path !== source) writeFileSync(path, '{"problems": []}')
      const { code, err } = await run('run', '--dry-run', '--seed', 'secret', path)
      expect(code).toBe(2)
      expect(err).toContain('--seed secret draws new problems')
    },
  )
})

it.each(['run', 'problems', 'validate', 'inject-and-remediate'])(
  '%s rejects an empty seed',
  async (command) => {
    const { code, err } = await run(command, '--seed', '')
    expect(code).toBe(2)
    expect(err).toContain('--seed must be a non-empty text, but "" was given.')
  },
)

it('rejects more epochs than a run can have, and names the range', async () => {
  const { code, err } = await run('run', '--epochs', '99999999999')
  expect(code).toBe(2)
  expect(err).toContain('--epochs must be 1 to 1000, but "99999999999" was given.')
})

it('lists the problems of a private variant, which differ from the shipped ones', async () => {
  const drawn = JSON.parse((await run('problems', 'core', '--seed', 'secret', '--json')).out)
  const shipped = JSON.parse((await run('problems', 'core', '--json')).out)
  expect(drawn.problems).toHaveLength(shipped.problems.length)
  expect(drawn.problems).not.toEqual(shipped.problems)
})
