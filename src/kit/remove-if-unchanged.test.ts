/** Tests that only unchanged files are removed. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digestOf, removeIfUnchanged } from './remove-if-unchanged.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-own-file-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('removes an unchanged file and keeps a changed one', () => {
  const [unchanged, changed] = [join(folder, 'unchanged'), join(folder, 'changed')]
  writeFileSync(unchanged, 'text')
  writeFileSync(changed, 'another text')
  for (const path of [unchanged, changed]) removeIfUnchanged(path, digestOf('text'))
  expect([existsSync(unchanged), existsSync(changed)]).toEqual([false, true])
})

it('ignores missing paths and anything but regular files', () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const path of [pipe, folder, join(folder, 'gone'), join(pipe, 'below')])
    removeIfUnchanged(path, digestOf(''))
  expect(existsSync(pipe)).toBe(true)
})
