/** Needs root: which thread the kernel prefers. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runChecked } from './index.ts'

/** The 41st field is the policy: 2 is for threads that come first, in turns. */
const PROGRAM = `
  import { readFileSync } from 'node:fs'
  import { preferThisThread, treatThisThreadAsOthers } from '${join(import.meta.dirname, 'thread-priority.ts')}'
  const policy = () => readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[38]
  const before = policy()
  preferThisThread()
  const preferred = policy()
  treatThisThreadAsOthers()
  console.log(before, preferred, policy())`

it('prefers the calling thread until it is told otherwise', async () => {
  const printed = await runChecked(process.execPath, ['--input-type=module', '-e', PROGRAM])
  expect(printed.trim()).toBe('0 2 0')
})
