/** Tests that output files are checked, and left unchanged. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkOutFile } from './check-out-file.ts'

describe('checkOutFile', () => {
  it('accepts a new and an existing file, and leaves the folder unchanged', () => {
    const folder = mkdtempSync(join(tmpdir(), 'out-files-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'old'), 'kept')
    for (const name of ['new', 'old']) checkOutFile(join(folder, name), 'kubeconfig', '--kubeconfig')
    expect(readdirSync(folder)).toEqual(['old'])
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('kept')
  })

  it.each([
    ['/no/such/folder/file', 'no such file or directory'],
    ['/proc/kubeconfig', 'no such file or directory'],
    ['/etc/passwd/file', 'not a directory'],
    ['/', 'it is a folder'],
  ])('rejects %s', (path, reason) => {
    const expected = {
      code: 'bad-argument',
      message: expect.stringContaining(`The kubeconfig cannot be written to ${path}: `),
    }
    expect(() => checkOutFile(path, 'kubeconfig', '--kubeconfig')).toThrow(expect.objectContaining(expected))
    expect(() => checkOutFile(path, 'kubeconfig', '--kubeconfig')).toThrow(reason)
  })
})
