/** Tests to which problems MicroRemed's check applies. */
import { expect, it } from 'vitest'
import type { CheckContext } from '#exam/episode'
import type { ApiObject, KubeApi, Problem } from '#spec'
import { checkLikeMicroRemed } from './index.ts'

const METRICS: ApiObject = {
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name: 'greeter-1' },
  containers: [{ name: 'greeter', usage: { cpu: '1m', memory: '1Mi' } }],
}
const POD: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'greeter-1' },
  spec: { containers: [{ name: 'greeter' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
}

const check = (...faults: string[]) => {
  const api: Partial<KubeApi> = {
    list: async ({ apiVersion }) => ({ items: [apiVersion === 'v1' ? POD : METRICS], resourceVersion: '1' }),
  }
  const context: CheckContext = {
    problem: {
      faults: faults.map((fault) => ({ fault, target: { service: 'greeter' } })),
    } as unknown as Problem,
    api: api as KubeApi,
    namespace: 'shop',
    time: { precise: () => 0, sleep: async () => {}, after: () => ({ cancel() {} }) },
    throwIfFailed() {},
  }
  return checkLikeMicroRemed(context)
}

it("applies to MicroRemed's faults only", async () => {
  expect(await check('pod-fail', 'cpu-stress')).toEqual({
    holds: true,
    evidence:
      'all pods are ready, and the target has metrics; the CPU usage of each container is below half of its limit',
  })
  for (const faults of [[], ['release-slow'], ['pod-fail', 'release-slow']])
    expect(await check(...faults)).toBeUndefined()
})
