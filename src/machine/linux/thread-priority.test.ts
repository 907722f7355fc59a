/** Needs root: tests the scheduling policy of threads. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runChecked } from './index.ts'

/** The 41st field is the policy; 2 is real-time round robin. */
const PROGRAM = `
  import { readFileSync } from 'node:fs'
  import { raiseThreadPriority, resetThreadPriority } from '${join(import.meta.dirname, 'thread-priority.ts')}'
  const policy = () => readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[38]
  const before = policy()
  raiseThreadPriority()
  const raised = policy()
  resetThreadPriority()
  console.log(before, raised, policy())`

it('raises and resets the priority of the calling thread', async () => {
  const printed = await runChecked(process.execPath, ['--input-type=module', '-e', PROGRAM])
  expect(printed.trim()).toBe('0 2 0')
})
