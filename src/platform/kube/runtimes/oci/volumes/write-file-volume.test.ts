/** Tests that a volume of files is replaced atomically. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeFileVolume } from './write-file-volume.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const writeColour = (content: () => string): void =>
  writeFileVolume(folder, {
    files: [{ path: 'colour', mode: 0o644, content: () => Buffer.from(content()) }],
    now: 0,
    group: undefined,
  })

it('keeps the old content if the new content cannot be written', () => {
  writeColour(() => 'green')
  const before = readdirSync(folder)
  expect(() =>
    writeColour(() => {
      throw new Error('the disk is full')
    }),
  ).toThrow('the disk is full')
  expect(readdirSync(folder)).toEqual(before)
  expect(readFileSync(join(folder, 'colour'), 'utf8')).toBe('green')
  writeColour(() => 'blue')
  expect(readFileSync(join(folder, 'colour'), 'utf8')).toBe('blue')
  expect(readdirSync(folder)).toHaveLength(before.length)
})
