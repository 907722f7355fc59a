/** Tests that failed work is undone step by step, and that its error is thrown. */
import { expect, it } from 'vitest'
import { withUndo } from './with-undo.ts'

it('undoes nothing if the work succeeds', async () => {
  const taken: string[] = []
  await withUndo(
    async () => {},
    async () => taken.push('all'),
  )
  expect(taken).toEqual([])
})

it('runs all undo steps if the work fails, even after a step that fails', async () => {
  const taken: string[] = []
  const work = withUndo(
    () => Promise.reject(new Error('no users')),
    () => Promise.reject(new Error('not there')),
    async () => taken.push('second'),
  )
  await expect(work).rejects.toThrow('no users')
  expect(taken).toEqual(['second'])
})
