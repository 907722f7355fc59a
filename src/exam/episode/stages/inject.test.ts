/** Tests that only complete problems are injected. */
import { expect, it } from 'vitest'
import { createFakeLab, fakeFault, toPlanned, toProblem } from '../testing/fake-lab.ts'
import { inject } from './inject.ts'
import { createInjection } from './injection.ts'

it('injects no fault whose parameters have no values', async () => {
  const notes: string[] = []
  const parameters = {
    rate: { type: 'integer', about: '', min: 1, max: 8, default: 4, unit: 'kbit/s' },
  } as const
  const { equipment } = createFakeLab([{ ...fakeFault(notes), parameters }])
  const injection = createInjection(equipment)
  const injectWith = (params: Record<string, number>) =>
    inject.run({ equipment, injection, problem: toProblem([toPlanned({ params })]) })
  await expect(injectWith({})).rejects.toThrow('The problem has no value of the parameter "rate" of broken.')
  expect(notes).toEqual([])
  await injectWith({ rate: 4 })
  expect(notes).toEqual(['inject 1'])
})
