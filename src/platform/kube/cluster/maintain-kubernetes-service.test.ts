/** Tests of the Service `kubernetes`. */
import { expect, it, onTestFinished } from 'vitest'
import { endpointSlices, endpoints, services } from '#platform/kube/kinds'
import { maintainKubernetesService } from './maintain-kubernetes-service.ts'
import { createScenario, type Scenario } from './testing/create-scenario.ts'

const maintain = ({ client, clock }: Scenario, host: string, port: number): (() => void) => {
  const onError = (error: unknown): void => {
    throw error
  }
  const stop = maintainKubernetesService({ client, clock, host, port, onError })
  onTestFinished(stop)
  return stop
}

it('the Service has the address of the API server, also after the address changes', () => {
  const scenario = createScenario()
  const { client, advanceSeconds } = scenario
  const stop = maintain(scenario, '127.0.0.1', 6443)
  advanceSeconds(10)
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

  stop()
  maintain(scenario, '192.0.2.7', 7443)
  advanceSeconds(10)
  expect(addresses()).toEqual(expectedAt('192.0.2.7', 7443))
  expect(client.get(services, 'default', 'kubernetes')!.spec.ports![0]!.targetPort).toBe(7443)
})

it('the Service is restored within ten seconds, and its address and ports are corrected', () => {
  const scenario = createScenario()
  const { client, advanceSeconds } = scenario
  maintain(scenario, '127.0.0.1', 6443)
  const before = client.get(services, 'default', 'kubernetes')!
  advanceSeconds(30)
  expect(client.get(services, 'default', 'kubernetes')).toBe(before)

  client.delete(services, 'default', 'kubernetes')
  client.delete(endpoints, 'default', 'kubernetes')
  client.delete(endpointSlices, 'default', 'kubernetes')
  expect(client.get(services, 'default', 'kubernetes')).toBeUndefined()
  advanceSeconds(10)
  const restored = client.get(services, 'default', 'kubernetes')!
  expect(restored.metadata.uid).not.toBe(before.metadata.uid)
  expect(restored.spec).toEqual(before.spec)
  expect(restored.spec.clusterIP).toBe('10.96.0.1')
  expect(client.get(endpoints, 'default', 'kubernetes')!.subsets).toHaveLength(1)
  expect(client.get(endpointSlices, 'default', 'kubernetes')!.endpoints).toHaveLength(1)

  const ports = [{ name: 'https', port: 8443, protocol: 'TCP', targetPort: 1 }]
  client.update(services, { ...restored, spec: { ...restored.spec, ports, sessionAffinity: 'ClientIP' } })
  client.update(endpoints, { ...client.get(endpoints, 'default', 'kubernetes')!, subsets: [] })
  advanceSeconds(10)
  const { spec } = client.get(services, 'default', 'kubernetes')!
  expect(spec).toMatchObject({ ports: before.spec.ports, sessionAffinity: 'ClientIP' })
  expect(client.get(endpoints, 'default', 'kubernetes')!.subsets).toHaveLength(1)
})
