/** Tests the log file of requests. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { processFiles } from '#world/twin/process'
import { createLineFile } from './line-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'line-file-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('contains each line once the write resolves, and is truncated at its limit', async () => {
  const path = join(folder, 'requests.log')
  const write = createLineFile(processFiles, path, 100)!
  await Promise.all([write('one'), write('two')])
  expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(['', 'one', 'two'])
  for (let count = 0; count < 50; count += 1) await write('0123456789')
  expect(statSync(path).size).toBeLessThan(120)
  expect(statSync(path).size).toBeGreaterThan(0)
})

it('drops lines that cannot be written', async () => {
  expect(createLineFile(processFiles, '/nowhere/requests.log')).toBeUndefined()
  const writeToFullDevice = createLineFile(processFiles, '/dev/full')!
  await expect(writeToFullDevice('no room')).resolves.toBeUndefined()
})
