/** Tests of the ResourceQuota controller. */
import { expect, it } from 'vitest'
import { configMaps, pods, resourceQuotas } from '#platform/kube/kinds'
import { createTestCluster } from '../testing/create-test-cluster.ts'
import { createResourceQuotaController } from './resource-quota.ts'

it('updates the usage when objects are created, terminate or are deleted', () => {
  const { client, clock, reportStatus, errors } = createTestCluster([createResourceQuotaController()])
  client.create(resourceQuotas, {
    metadata: { name: 'quota', namespace: 'default' },
    spec: { hard: { pods: '5', 'requests.cpu': '2', 'count/configmaps': '3' } },
  })
  const status = () => {
    clock.advance(10)
    return client.get(resourceQuotas, 'default', 'quota')!.status
  }
  expect(status()).toEqual({
    hard: { pods: '5', 'requests.cpu': '2', 'count/configmaps': '3' },
    used: { pods: '0', 'requests.cpu': '0', 'count/configmaps': '0' },
  })
  client.create(configMaps, { metadata: { name: 'a', namespace: 'default' } })
  client.create(configMaps, { metadata: { name: 'b', namespace: 'other' } })
  const pod = client.create(pods, {
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '250m' } } }] },
  })
  expect(status().used).toEqual({ pods: '1', 'requests.cpu': '250m', 'count/configmaps': '1' })
  reportStatus(pod, { phase: 'Succeeded' })
  client.delete(configMaps, 'default', 'a')
  expect(status().used).toEqual({ pods: '0', 'requests.cpu': '0', 'count/configmaps': '0' })
  expect(errors).toEqual([])
})
