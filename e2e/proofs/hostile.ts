/**
 * `npm run proof hostile`: the whole corpus of hostile and broken commands and playbooks on a live system, each in a process
 * of its own, where the test run tries some of those that differ little, and several in one.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const LONGEST_MS = 3_600_000

const { status } = spawnSync(
  join(import.meta.dirname, '..', '..', 'remedium'),
  [
    ...['test', '--project', 'e2e', '--reporter', 'verbose', '--testTimeout', String(LONGEST_MS)],
    'e2e/hostile.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, HOSTILE_CORPUS: 'whole' } },
)
process.exitCode = status ?? 1
