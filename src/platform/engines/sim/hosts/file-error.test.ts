/** Tests that file errors equal those of Node.js. */
import { readFileSync, renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createFileError } from './file-error.ts'

const errorOf = (work: () => void): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

it('has the properties and the message of the real error', () => {
  const path = '/no/such/file'
  expect({ ...createFileError('ENOENT', { name: 'open', path }) }).toEqual({
    ...(errorOf(() => readFileSync(path)) as object),
  })
  const renamed = errorOf(() => renameSync(path, '/other')) as Error
  const error = createFileError('ENOENT', { name: 'rename', path, target: '/other' })
  expect({ ...error, message: error.message }).toEqual({ ...renamed, message: renamed.message })
})

it('accepts known and unknown error numbers', () => {
  expect(createFileError(28, { name: 'write' }).message).toBe('ENOSPC: no space left on device, write')
  expect(createFileError(4000, { name: 'write' })).toMatchObject({ errno: -4000 })
})
