/** Runs one test file as a separate test run, with a state folder that no other test run uses. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const REMEDIUM = join(import.meta.dirname, '..', '..', '..', 'remedium')

export interface TestFileRun {
  readonly file: string
  /** The project of the file; `e2e` by default. */
  readonly project?: string
  /** Further arguments for Vitest. */
  readonly args: readonly string[]
  /** Environment variables that select the cases of the test file. */
  readonly env: Readonly<Record<string, string>>
}

/** Returns the exit code of the test run. */
export const runTestFile = ({ file, project = 'e2e', args, env }: TestFileRun): number => {
  const state = mkdtempSync(join(tmpdir(), 'proof-'))
  try {
    const { status } = spawnSync(REMEDIUM, ['test', '--project', project, ...args, file], {
      stdio: 'inherit',
      env: { ...process.env, ...env, REMEDIUM_E2E_STATE: join(state, 'state') },
    })
    return status ?? 1
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}
