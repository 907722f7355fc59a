/** Tests the lifetime of the tokens of untrusted solvers. */
import { expect, it } from 'vitest'
import type { ClusterAccess, EngineCluster, KubeApi } from '#spec'
import { openAgentAccess } from './agent-access.ts'

/** The longest budget of `--seconds`: the longest delay of a timer in Node.js. */
const MAX_SECONDS = (2 ** 31 - 1) / 1000

it('makes tokens valid for longer than the longest budget', async () => {
  let seconds = 0
  const api = {
    async create(_ref: unknown, request: { spec?: { expirationSeconds: number } }) {
      seconds = request.spec?.expirationSeconds ?? 0
      return { status: { token: 'a token' } }
    },
  } as unknown as KubeApi
  const access = (kubeconfig: string) => ({ kubeconfig }) as ClusterAccess
  const opened = await openAgentAccess(
    { api, access } as Partial<EngineCluster> as EngineCluster,
    'shop',
    'mitigation',
  )
  expect(opened.kubeconfig).toBe('a token')
  expect(seconds).toBeGreaterThan(MAX_SECONDS)
})
