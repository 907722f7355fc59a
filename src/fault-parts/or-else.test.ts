/** Work that fails is taken back, step by step, and its error is told. */
import { expect, it } from 'vitest'
import { orElse } from './or-else.ts'

it('takes nothing back where the work is done', async () => {
  const taken: string[] = []
  await orElse(
    async () => {},
    async () => taken.push('all'),
  )
  expect(taken).toEqual([])
})

it('takes everything back where the work fails, also after a step that fails itself', async () => {
  const taken: string[] = []
  const work = orElse(
    () => Promise.reject(new Error('no users')),
    () => Promise.reject(new Error('not there')),
    async () => taken.push('second'),
  )
  await expect(work).rejects.toThrow('no users')
  expect(taken).toEqual(['second'])
})
