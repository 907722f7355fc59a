/** A hack that only looks is known to have changed nothing. */
import { expect, it } from 'vitest'
import type { Hack, KubeApi, SolverContext } from '../../spec/index.ts'
import { createFakeLab } from '../testing/fake-lab.ts'
import { hackSolver } from './hack-solver.ts'

const POD = { apiVersion: 'v1', plural: 'pods', namespace: 'little' }

const hasActed = async (act: Hack['act']): Promise<boolean> => {
  const api = {
    list: async () => ({ items: [], resourceVersion: '1' }),
    delete: () => Promise.reject(new Error('refused')),
  } as unknown as KubeApi
  const known = { problem: { task: 'mitigation' }, core: createFakeLab().core, faults: [] } as const
  const solver = hackSolver({ name: 'try', about: '', act }, known)
  await solver.solve({ api, sleep: async () => {} } as unknown as SolverContext).catch(() => {})
  return solver.hasActed
}

it('has not acted where it only looked', async () => {
  expect(await hasActed(async ({ api }) => void (await api.list(POD)))).toBe(false)
})

it('has acted where it tried to, even if it was refused', async () => {
  expect(await hasActed(async ({ api }) => api.delete({ ...POD, name: 'greeter-1' }))).toBe(true)
})
