/** Tests of the addresses and node ports of Services. */
import { beforeEach, describe, expect, it } from 'vitest'
import { services } from '#platform/kube/kinds'
import { createTestResources, rejection, type TestResources } from './testing/create-test-resources.ts'

let client: TestResources['client']

beforeEach(() => {
  ;({ client } = createTestResources())
})

const createService = (name: string, spec: object) =>
  client.create(services, {
    metadata: { name, namespace: 'default' },
    spec: { ports: [{ port: 80 }], ...spec },
  } as never)

describe('service addresses', () => {
  it('are unique, kept on update, and released on deletion', () => {
    const a = createService('a', { clusterIP: '10.96.0.77' })
    expect(rejection(() => createService('b', { clusterIP: '10.96.0.77' }))).toContain(
      'spec.clusterIPs: Invalid value: []string{"10.96.0.77"}: failed to allocate IP 10.96.0.77: provided IP is already allocated',
    )
    expect(rejection(() => createService('b', { clusterIP: '10.97.0.1' }))).toContain(
      'is not in the valid range',
    )
    const changed = client.update(services, { ...a, spec: { ...a.spec, sessionAffinity: 'ClientIP' } })
    expect(changed.spec.clusterIP).toBe('10.96.0.77')
    client.delete(services, 'default', 'a')
    expect(createService('b', { clusterIP: '10.96.0.77' }).spec.clusterIP).toBe('10.96.0.77')
  })

  it('are allocated from the upper part of the range', () => {
    const addresses = Array.from({ length: 20 }, (_, index) => createService(`s${index}`, {}).spec.clusterIP!)
    expect(new Set(addresses).size).toBe(20)
    for (const address of addresses) expect(Number(address.split('.')[2])).toBeGreaterThan(0)
  })

  it('are not allocated for headless and ExternalName Services', () => {
    expect(createService('h', { clusterIP: 'None' }).spec.clusterIPs).toEqual(['None'])
    expect(
      createService('e', { type: 'ExternalName', externalName: 'x.example' }).spec.clusterIP,
    ).toBeUndefined()
  })

  it.each<[string, object, string]>([
    [
      'a node port of a ClusterIP Service',
      { ports: [{ port: 80, nodePort: 30_100 }] },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      'addresses of an ExternalName Service',
      {
        type: 'ExternalName',
        externalName: 'x.example',
        clusterIP: '10.96.0.9',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
      '[spec.clusterIPs: Forbidden: may not be set for ExternalName services, spec.ipFamilies: Forbidden: may not be set for ExternalName services, spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services]',
    ],
    [
      'two address families',
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [
      'the family IPv6',
      { ipFamilies: ['IPv6'] },
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
    [
      'the family IPv6 of a headless Service with a selector',
      { clusterIP: 'None', selector: { app: 'a' }, ipFamilies: ['IPv6'] },
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
    [
      'an IPv6 address',
      { clusterIP: 'fd00::1' },
      'spec.clusterIPs[0]: Invalid value: []string{"fd00::1"}: IPv6 is not configured on this cluster',
    ],
    [
      'an unknown policy and family',
      { ipFamilyPolicy: 'Both', ipFamilies: ['IPv5'] },
      '[spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6", spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"]',
    ],
    [
      'two addresses of one family',
      { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7', '10.96.0.8'] },
      'spec.clusterIPs: Invalid value: []string{"10.96.0.7", "10.96.0.8"}: may specify no more than one IP for each IP family',
    ],
    [
      'a second address with the policy SingleStack',
      { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7', 'fd00::1'] },
      '[spec.ipFamilyPolicy: Invalid value: "SingleStack": must be \'RequireDualStack\' or \'PreferDualStack\' when multiple cluster IPs are specified, spec.clusterIPs[1]: Invalid value: []string{"10.96.0.7", "fd00::1"}: IPv6 is not configured on this cluster]',
    ],
    [
      'clusterIPs without clusterIP',
      { clusterIPs: ['10.96.0.7'] },
      'spec.clusterIPs: Invalid value: []string{"10.96.0.7"}: must be empty when `clusterIP` is not specified',
    ],
  ])('are rejected if invalid: %s', (_, spec, expected) => {
    expect(rejection(() => createService('a', spec))).toBe(`422 Invalid: Service "a" is invalid: ${expected}`)
  })

  it('can have any family if the Service is headless and has no selector', () => {
    const families = (name: string, spec: object) =>
      createService(name, { clusterIP: 'None', ...spec }).spec.ipFamilies
    expect(families('a', {})).toEqual(['IPv4', 'IPv6'])
    expect(families('b', { ipFamilies: ['IPv6'] })).toEqual(['IPv6', 'IPv4'])
    expect(families('c', { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' })).toEqual(['IPv6'])
    expect(createService('d', { ipFamilyPolicy: 'PreferDualStack' }).spec.ipFamilies).toEqual(['IPv4'])
  })

  it('of a headless Service keep both families until the policy becomes SingleStack', () => {
    const created = createService('a', { clusterIP: 'None' })
    const change = (spec: object) =>
      client.update(services, { ...created, spec: { ...created.spec, ...spec } })
    expect(rejection(() => change({ ipFamilies: ['IPv4'] }))).toContain(
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family`,
    )
    expect(change({ ipFamilyPolicy: 'SingleStack' }).spec.ipFamilies).toEqual(['IPv4'])
  })

  it('are removed from a Service that becomes an ExternalName', () => {
    const created = createService('a', { type: 'NodePort' })
    const spec = { ...created.spec, type: 'ExternalName', externalName: 'x.example' }
    const { spec: stored } = client.update(services, { ...created, spec })
    expect(stored).not.toHaveProperty('clusterIPs')
    expect(stored).not.toHaveProperty('ipFamilies')
    expect(stored.ports).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }])
  })
})

describe('node ports', () => {
  it('cannot be allocated once the range is full', () => {
    const ports = Array.from({ length: 2768 }, (_, index) => ({ name: `p${index}`, port: index + 1 }))
    expect(createService('all', { type: 'NodePort', ports }).spec.ports).toHaveLength(2768)
    expect(rejection(() => createService('more', { type: 'NodePort' }))).toContain(
      'failed to allocate a nodePort: range is full',
    )
    client.delete(services, 'default', 'all')
    expect(createService('more', { type: 'NodePort' }).spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(
      30_000,
    )
  })

  it('are rejected if allocated or out of range, and released when the type changes', () => {
    const withNodePort = (nodePort: number) => ({ type: 'NodePort', ports: [{ port: 80, nodePort }] })
    const created = createService('a', withNodePort(30_001))
    expect(rejection(() => createService('b', withNodePort(30_001)))).toContain(
      'provided port is already allocated',
    )
    expect(rejection(() => createService('b', withNodePort(80)))).toContain(
      'The range of valid ports is 30000-32767',
    )
    client.update(services, { ...created, spec: { ...created.spec, type: 'ClusterIP' } })
    expect(createService('b', withNodePort(30_001)).spec.ports?.[0]?.nodePort).toBe(30_001)
  })
})
