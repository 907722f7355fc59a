/** Boots whole systems on simulated clusters until all their pods are ready. */
import { expect, it } from 'vitest'
import { defined } from '#kit'
import { applySystem, waitUntilReady } from '#platform/engines/deploy'
import { createSimCluster } from '#platform/engines/sim/runtime/testing'
import { fullImageName, pods } from '#platform/kube/simulated'
import { everydayPrograms } from '#platform/pod-programs'
import { loadSystem } from './index.ts'

/** Virtual time. */
const TIMEOUT_MS = 180_000

it.each(['online-boutique'])('%s becomes ready', async (name) => {
  const system = await loadSystem(name)
  await system.loadSimulated?.()
  const images = new Map(
    system.images.map((image) => [
      fullImageName(image.name),
      {
        ...image.simulated,
        ...defined({
          entrypoint: image.entrypoint,
          command: image.command,
          environment: image.environment,
          files: image.files,
        }),
      },
    ]),
  )
  const sim = createSimCluster({}, { catalogue: (image) => images.get(image), everydayPrograms, nodes: 3 })
  const { clock, client } = sim
  await sim.run(async () => {
    await applySystem(client, system, clock)
    await waitUntilReady(client, { clock, timeoutMs: TIMEOUT_MS })
    await sim.wait(60)
  })
  const restarts = client
    .list(pods, system.namespace)
    .flatMap(({ status }) => status.containerStatuses ?? [])
    .map(({ name: container, restartCount }) => ({ container, restartCount }))
  expect(restarts.length).toBeGreaterThan(10)
  expect(restarts.filter(({ restartCount }) => restartCount > 0)).toEqual([])
  expect(sim.errors).toEqual([])
})
