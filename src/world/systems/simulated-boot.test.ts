/** Boots whole systems on simulated clusters until all their pods are ready. */
import { expect, it } from 'vitest'
import { sleep } from '#kit'
import { createSimEngine } from '#platform/engines/sim'
import type { KubeObject } from '#spec'
import { loadSystem } from './index.ts'

it.each(['online-boutique', 'hotel-reservation', 'social-network', 'train-ticket'])(
  '%s becomes ready',
  async (name) => {
    const system = await loadSystem(name)
    const errors: unknown[] = []
    const engine = createSimEngine({ onError: (source, error) => errors.push([source, error]) })
    const { clock, api, close } = await engine.provision(system)
    const { items } = await clock.run(async () => {
      await sleep(clock, 60_000)
      return api.list({ apiVersion: 'v1', plural: 'pods', namespace: system.namespace })
    })
    await clock.run(close)
    const statuses = items.flatMap((pod) => (pod as KubeObject<'Pod'>).status?.containerStatuses ?? [])
    const restarted = statuses.filter(({ restartCount }) => restartCount > 0)
    expect(statuses.length).toBeGreaterThan(10)
    expect(restarted.map((status) => [status.name, status.restartCount])).toEqual([])
    expect(errors).toEqual([])
  },
)
