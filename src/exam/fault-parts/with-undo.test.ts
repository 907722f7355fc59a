/** Tests that failed work is undone step by step, and that its error is thrown. */
import { expect, it } from 'vitest'
import { withUndo } from './with-undo.ts'

it('undoes nothing if the work succeeds', async () => {
  const calls: string[] = []
  await withUndo(
    async () => {},
    async () => calls.push('all'),
  )
  expect(calls).toEqual([])
})

it('runs all undo steps if the work fails, even after a step that fails', async () => {
  const calls: string[] = []
  const work = withUndo(
    () => Promise.reject(new Error('no users')),
    () => Promise.reject(new Error('not there')),
    async () => calls.push('second'),
  )
  await expect(work).rejects.toThrow('no users')
  expect(calls).toEqual(['second'])
})
