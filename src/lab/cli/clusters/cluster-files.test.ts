/** Tests the checks of files that the user names for a cluster. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkFolderOf } from './cluster-files.ts'

describe('checkFolderOf', () => {
  it('accepts a new and an existing file, and leaves the folder as it was', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-files-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'old'), 'kept')
    for (const name of ['new', 'old']) checkFolderOf(join(folder, name), 'kubeconfig')
    expect(readdirSync(folder)).toEqual(['old'])
  })

  it.each([
    ['/no/such/folder/file', 'no such file or directory'],
    ['/proc/kubeconfig', 'no such file or directory'],
    ['/etc/passwd/file', 'not a directory'],
    ['/', 'it is a folder'],
  ])('rejects %s', (path, reason) => {
    const expected = {
      code: 'bad-argument',
      message: expect.stringContaining(`--kubeconfig: ${path} cannot be written: `),
    }
    expect(() => checkFolderOf(path, 'kubeconfig')).toThrow(expect.objectContaining(expected))
    expect(() => checkFolderOf(path, 'kubeconfig')).toThrow(reason)
  })
})
