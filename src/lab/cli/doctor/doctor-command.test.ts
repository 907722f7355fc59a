/** Tests the exit code of `remedium doctor`, and how it reports leftovers. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../testing/run-command.ts'
import { DOCTOR_CHECKS } from './doctor-checks.ts'
import { absent, present } from './finding.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'doctor-'))
  vi.stubEnv('REMEDIUM_STATE', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(home, { recursive: true })
})

interface ReportedCheck {
  readonly name: string
  readonly requiredFor: string
  readonly present: boolean
  readonly found?: string
}

const runDoctor = async () => {
  const { code, out } = await runCommand('doctor', '--json')
  return { code, checks: JSON.parse(out).checks as readonly ReportedCheck[] }
}

/** Replaces each check with one that reports its requirement as found or missing. */
const stubChecks = (isFound: (requiredFor: string) => boolean): void => {
  for (const check of DOCTOR_CHECKS)
    vi.spyOn(check, 'run').mockReturnValue(
      isFound(check.requiredFor) ? present('a tool', '1.0') : absent('a tool', 'Install it.'),
    )
}

it.each(['everything', 'runs and tests', 'real containers'])(
  'exits with 4 if a requirement for %s is missing',
  async (missing) => {
    stubChecks((requiredFor) => requiredFor !== missing)
    expect((await runDoctor()).code).toBe(4)
  },
)

it('exits with 0 if no requirement is missing, or only one for tests', async () => {
  stubChecks(() => true)
  expect((await runDoctor()).code).toBe(0)
  stubChecks((requiredFor) => requiredFor !== 'tests')
  expect((await runDoctor()).code).toBe(0)
})

it('reports leftovers in the state folder, but not as a missing requirement', async () => {
  // The draft of a process that has ended.
  mkdirSync(join(home, 'clusters', '.half-made-999999999-1-x'), { recursive: true })
  const { checks } = await runDoctor()
  expect(checks.find(({ name }) => name === 'state folder')).toMatchObject({
    present: true,
    found: `${home}, leftovers: 1; "remedium cluster prune" removes them`,
  })
})
