/** Tests of the error catalogue and its documentation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERROR_CATALOGUE, RemediumError, toRemediumError } from './errors.ts'

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'errors.md')

const documentedErrors = (): Record<string, unknown> => {
  const rows = readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)
  return Object.fromEntries(
    [...rows].map(([, code, blame, exitCode, meaning]) => [
      code,
      { blame, exitCode: Number(exitCode), meaning },
    ]),
  )
}

describe('the error catalogue', () => {
  it('lists the same codes as docs/errors.md, in the same order', () => {
    expect(documentedErrors()).toEqual(ERROR_CATALOGUE)
    expect(Object.keys(documentedErrors())).toEqual(Object.keys(ERROR_CATALOGUE))
  })

  it('gives an error its blame and its exit code', () => {
    const error = new RemediumError('unknown-command', 'There is no command "up".')
    expect(error).toMatchObject({ code: 'unknown-command', blame: 'operator', exitCode: 2, hint: undefined })
    expect(error.cause).toBeUndefined()
  })

  it('lets the thrower override the blame, and keeps the cause', () => {
    const cause = new Error('socket hang up')
    const error = new RemediumError('tool-failed', 'helm failed.', {
      blame: 'agent',
      hint: 'Try again.',
      cause,
    })
    expect(error).toMatchObject({ blame: 'agent', hint: 'Try again.', cause })
  })
})

describe('toRemediumError', () => {
  it('returns a RemediumError unchanged', () => {
    const error = new RemediumError('bad-argument', 'no')
    expect(toRemediumError(error)).toBe(error)
  })

  it.each([new TypeError('x is not a function'), 'x is not a function'])(
    'converts %s to a defect',
    (thrown) => {
      expect(toRemediumError(thrown)).toMatchObject({
        code: 'defect',
        blame: 'harness',
        message: 'x is not a function',
        cause: thrown,
      })
    },
  )
})
