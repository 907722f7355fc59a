import { expect, it } from 'vitest'
import { endpointSlices, endpoints, services } from '#platform/kube/kinds'
import { publishKubernetesService } from './kubernetes-service.ts'
import { createScenario } from './testing/create-scenario.ts'

it('has the address of the API server, and follows its changes', () => {
  const { client, seconds } = createScenario()
  publishKubernetesService(client, '127.0.0.1', 6443)
  seconds(10)
  expect(client.get(services, 'default', 'kubernetes')).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
  })
  const addresses = (): unknown[] => [
    client.get(endpoints, 'default', 'kubernetes')!.subsets,
    ...client.list(endpointSlices, 'default').map((slice) => [slice.endpoints, slice.ports]),
  ]
  const expectedAt = (ip: string, port: number): unknown[] => [
    [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    [[{ addresses: [ip], conditions: { ready: true } }], [{ name: 'https', port, protocol: 'TCP' }]],
  ]
  expect(addresses()).toEqual(expectedAt('172.18.0.1', 6443))

  publishKubernetesService(client, '192.0.2.7', 7443)
  seconds(10)
  expect(addresses()).toEqual(expectedAt('192.0.2.7', 7443))
  expect(client.get(services, 'default', 'kubernetes')!.spec.ports![0]!.targetPort).toBe(7443)
})
