/** Tests the time limits of programs that the check runs in pods. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually } from '#kit'
import type { KubeApi } from '#spec'
import { observeTarget } from './observe-target.ts'

it('aborts a program in a pod by the time of the episode', async () => {
  const clock = createVirtualClock(0)
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart-1' } }
  const api: Partial<KubeApi> = {
    list: async () => ({
      items: [{ ...pod, spec: { containers: [{ name: 'server' }] }, status: { hostIP: '172.18.0.3' } }],
      resourceVersion: '1',
    }),
    exec: (_pod, _command, { signal } = {}) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason))
      }),
  }
  const target = { api: api as KubeApi, namespace: 'shop', service: 'cart', time: clock }
  const observed = await runVirtually(clock, () => observeTarget(target, 'ping'))
  expect(observed).toMatchObject([{ name: 'cart-1', ping: undefined }])
  expect(clock.now()).toBe(30_000)
  expect(clock.runNext()).toBe(false)
})
