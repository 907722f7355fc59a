/** Tests how the size of a folder is measured. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exceedsSize } from './exceeds-size.ts'

it('counts the blocks of nested files, at least one per file, and ignores targets of links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'size-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(await exceedsSize(folder, 0)).toBe(false)
  mkdirSync(join(folder, 'deep'))
  symlinkSync('/usr', join(folder, 'link'))
  writeFileSync(join(folder, 'sparse'), '')
  truncateSync(join(folder, 'sparse'), 2 ** 30)
  expect(await exceedsSize(folder, 100_000)).toBe(false)
  for (let index = 0; index < 30; index += 1) writeFileSync(join(folder, 'deep', `${index}`), '')
  expect(await exceedsSize(folder, 100_000)).toBe(true)
  expect(await exceedsSize(folder, 1_000_000)).toBe(false)
  writeFileSync(join(folder, 'deep', 'large'), Buffer.alloc(2_000_000, 'x'))
  expect(await exceedsSize(folder, 1_000_000)).toBe(true)
  expect(await exceedsSize(join(folder, 'missing'), 0)).toBe(false)
})
