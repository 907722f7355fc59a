/** Tests of the Service `kube-dns`. */
import { expect, it } from 'vitest'
import { endpointSlices, endpoints, services } from '#platform/kube/kinds'
import { publishDnsService } from './publish-dns-service.ts'
import { createScenario } from './testing/create-scenario.ts'

it('the DNS Service points to the DNS server, and controllers do not change it', () => {
  const { client, advanceSeconds } = createScenario()
  publishDnsService(client)
  publishDnsService(client)
  advanceSeconds(30)
  expect(client.get(services, 'kube-system', 'kube-dns')!.spec).toMatchObject({
    clusterIP: '10.96.0.10',
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
      { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
    ],
  })
  const addresses = [
    client.get(endpoints, 'kube-system', 'kube-dns')!.subsets![0]!.addresses![0]!.ip,
    ...client.list(endpointSlices, 'kube-system').map((slice) => slice.endpoints[0]!.addresses[0]),
  ]
  expect(addresses).toEqual(['10.96.0.10', '10.96.0.10'])
  expect(() =>
    client.create(services, {
      metadata: { name: 'conflicting', namespace: 'default' },
      spec: { clusterIP: '10.96.0.10', ports: [{ port: 53 }] },
    }),
  ).toThrow('provided IP is already allocated')
})
