import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digestOf, removeIfUnchanged } from './own-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-own-file-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('removes what is still as it was written, and nothing else', () => {
  const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')]
  writeFileSync(ours, 'text')
  writeFileSync(theirs, 'another text')
  for (const path of [ours, theirs]) removeIfUnchanged(path, digestOf('text'))
  expect([existsSync(ours), existsSync(theirs)]).toEqual([false, true])
})

it('takes no offence at what is gone, or is no file any more', () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const path of [pipe, folder, join(folder, 'gone'), join(pipe, 'below')])
    removeIfUnchanged(path, digestOf(''))
  expect(existsSync(pipe)).toBe(true)
})
