/** How long the token of somebody who is not trusted is good for. */
import { expect, it } from 'vitest'
import type { ClusterAccess, EngineCluster, KubeApi } from '../spec/index.ts'
import { openAgentAccess } from './agent-access.ts'

/** Of a budget by `--seconds`: a timer of Node's runs for no more. Problems give a day at most. */
const MOST_SECONDS = (2 ** 31 - 1) / 1000

it('would outlive the longest budget', async () => {
  let seconds = 0
  const api = {
    async create(_ref: unknown, asked: { spec?: { expirationSeconds: number } }) {
      seconds = asked.spec?.expirationSeconds ?? 0
      return { status: { token: 'a token' } }
    },
  } as unknown as KubeApi
  const access = (kubeconfig: string) => ({ kubeconfig }) as ClusterAccess
  const lent = await openAgentAccess(
    { api, access } as Partial<EngineCluster> as EngineCluster,
    'shop',
    'mitigation',
  )
  expect(lent.kubeconfig).toBe('a token')
  expect(seconds).toBeGreaterThan(MOST_SECONDS)
})
