/** Tests Chaos Mesh objects in a whole cluster. */
import { expect, it } from 'vitest'
import { deployments, pods } from '#platform/kube/kinds'
import type { PodFaults } from '#platform/kube/ports'
import { createScenario, webDeployment } from '../testing/create-scenario.ts'

const failingFaults: PodFaults = {
  apply: (_, reply) => queueMicrotask(() => reply({ ok: false, error: new Error('no processes') })),
}
const CHAOS = { apiVersion: 'chaos-mesh.org/v1alpha1', namespace: 'default' }
const podChaos = (name: string, spec: object): object => ({
  apiVersion: CHAOS.apiVersion,
  kind: 'PodChaos',
  metadata: { name },
  spec: { mode: 'all', selector: { labelSelectors: { app: 'web' } }, ...spec },
})

it('a cluster serves the chaos kinds only if faults are available', async () => {
  const { admin: adminWithoutFaults } = createScenario()
  await expect(adminWithoutFaults.list({ ...CHAOS, plural: 'podchaos' })).rejects.toMatchObject({ code: 404 })
  const { admin } = createScenario({ faults: failingFaults })
  for (const plural of ['dnschaos', 'iochaos', 'networkchaos', 'podchaos', 'stresschaos', 'timechaos'])
    expect((await admin.list({ ...CHAOS, plural })).items).toEqual([])
})

it('PodChaos makes the pods of a Deployment fail, and they recover when it is deleted', async () => {
  const { admin, client, eventsOf, until, advanceSeconds } = createScenario({
    faults: failingFaults,
    images: { 'web:1': {}, 'pause:latest': {} },
  })
  client.create(deployments, webDeployment(1))
  const pod = () => client.list(pods, 'default')[0]!
  until(() => client.get(deployments, 'default', 'web')?.status.readyReplicas === 1)
  const { uid } = pod().metadata
  const managers = () =>
    pod()
      .metadata.managedFields?.map(({ manager }) => manager)
      .toSorted()
  const before = managers()
  await admin.create({ ...CHAOS, plural: 'podchaos' }, podChaos('fail', { action: 'pod-failure' }))
  until(() => pod().status.containerStatuses?.[0]?.restartCount === 1)
  expect(pod().spec.containers[0]?.image).toBe('pause:latest')
  expect(managers()).toEqual(before)
  expect(JSON.stringify(pod())).not.toMatch(/chaos|pod-failure|web:1/)
  await admin.delete({ ...CHAOS, plural: 'podchaos', name: 'fail' })
  until(() => pod().status.containerStatuses?.[0]?.restartCount === 2)
  advanceSeconds(5)
  expect(pod().spec.containers[0]?.image).toBe('web:1')
  expect(pod().metadata.uid).toBe(uid)
  await expect(admin.get({ ...CHAOS, plural: 'podchaos', name: 'fail' })).rejects.toMatchObject({ code: 404 })
  expect(eventsOf(pod())).toContain('Normal Killing: Container c definition changed, will be restarted')
})

it('PodChaos kills pods, and their Deployment replaces them', async () => {
  const { admin, client, until } = createScenario({ faults: failingFaults })
  client.create(deployments, webDeployment(2))
  const podNames = () => client.list(pods, 'default').map(({ metadata }) => metadata.name)
  const isReady = () => client.get(deployments, 'default', 'web')?.status.readyReplicas === 2
  until(isReady)
  const before = podNames()
  await admin.create({ ...CHAOS, plural: 'podchaos' }, podChaos('kill', { action: 'pod-kill', mode: 'one' }))
  until(() => podNames().some((name) => !before.includes(name)) && isReady())
  expect(podNames().filter((name) => before.includes(name))).toHaveLength(1)
})
