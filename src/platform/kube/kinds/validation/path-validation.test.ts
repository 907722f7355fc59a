/** Tests path validation. */
import { describe, expect, it } from 'vitest'
import { validateDescendingPath, validateProjectedPath } from './path-validation.ts'

const RELATIVE = 'must be a relative path'
const NO_BACKSTEPS = "must not contain '..'"
const NOT_RESERVED = "must not start with '..'"

const errorDetails = (validate: typeof validateProjectedPath, path: string): string[] =>
  validate(path, 'path').map(({ message }) => message.replace(`Invalid value: "${path}": `, ''))

describe('validateProjectedPath', () => {
  it.each([
    ['file', []],
    ['folder/file', []],
    ['folder/..data', []],
    ['file..', []],
    ['.hidden', []],
    ['/file', [RELATIVE]],
    ['/folder/../file', [RELATIVE, NO_BACKSTEPS]],
    ['folder/..', [NO_BACKSTEPS]],
    ['../file', [NO_BACKSTEPS]],
    ['../../file', [NO_BACKSTEPS]],
    ['..', [NO_BACKSTEPS, NOT_RESERVED]],
    ['..data', [NOT_RESERVED]],
    ['...', [NOT_RESERVED]],
    ['..data/../file', [NO_BACKSTEPS, NOT_RESERVED]],
  ])('reports the errors of %j', (path, expected) => {
    expect(errorDetails(validateProjectedPath, path)).toEqual(expected)
  })
})

describe('validateDescendingPath', () => {
  it('allows names that start with two dots', () => {
    expect(errorDetails(validateDescendingPath, '..data')).toEqual([])
  })
})
