/** Tests of the addresses and node ports of Services. */
import { beforeEach, describe, expect, it } from 'vitest'
import { services } from '#platform/kube/kinds'
import { createTestResources, rejection, type TestResources } from './testing/create-test-resources.ts'

let client: TestResources['client']

beforeEach(() => {
  ;({ client } = createTestResources())
})

describe('service addresses', () => {
  const service = (name: string, spec: object) =>
    client.create(services, {
      metadata: { name, namespace: 'default' },
      spec: { ports: [{ port: 80 }], ...spec },
    } as never)

  it('are unique, kept on update, and released on deletion', () => {
    const a = service('a', { clusterIP: '10.96.0.77' })
    expect(rejection(() => service('b', { clusterIP: '10.96.0.77' }))).toContain(
      'spec.clusterIPs: Invalid value: []string{"10.96.0.77"}: failed to allocate IP 10.96.0.77: provided IP is already allocated',
    )
    expect(rejection(() => service('b', { clusterIP: '10.97.0.1' }))).toContain('is not in the valid range')
    const changed = client.update(services, { ...a, spec: { ...a.spec, sessionAffinity: 'ClientIP' } })
    expect(changed.spec.clusterIP).toBe('10.96.0.77')
    client.delete(services, 'default', 'a')
    expect(service('b', { clusterIP: '10.96.0.77' }).spec.clusterIP).toBe('10.96.0.77')
  })

  it('are allocated from the upper part of the range', () => {
    const addresses = Array.from({ length: 20 }, (_, index) => service(`s${index}`, {}).spec.clusterIP!)
    expect(new Set(addresses).size).toBe(20)
    for (const address of addresses) expect(Number(address.split('.')[2])).toBeGreaterThan(0)
  })

  it('are not allocated for headless and external Services', () => {
    expect(service('h', { clusterIP: 'None' }).spec.clusterIPs).toEqual(['None'])
    expect(service('e', { type: 'ExternalName', externalName: 'x.example' }).spec.clusterIP).toBeUndefined()
  })

  it('report an error when all node ports are allocated', () => {
    const ports = Array.from({ length: 2768 }, (_, index) => ({ name: `p${index}`, port: index + 1 }))
    expect(service('all', { type: 'NodePort', ports }).spec.ports).toHaveLength(2768)
    expect(rejection(() => service('more', { type: 'NodePort' }))).toContain(
      'failed to allocate a nodePort: range is full',
    )
    client.delete(services, 'default', 'all')
    expect(service('more', { type: 'NodePort' }).spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000)
  })

  it('reject allocated and out-of-range node ports, and release them when the type changes', () => {
    const withNodePort = (nodePort: number) => ({ type: 'NodePort', ports: [{ port: 80, nodePort }] })
    const created = service('a', withNodePort(30_001))
    expect(rejection(() => service('b', withNodePort(30_001)))).toContain(
      'provided port is already allocated',
    )
    expect(rejection(() => service('b', withNodePort(80)))).toContain(
      'The range of valid ports is 30000-32767',
    )
    client.update(services, { ...created, spec: { ...created.spec, type: 'ClusterIP' } })
    expect(service('b', withNodePort(30_001)).spec.ports?.[0]?.nodePort).toBe(30_001)
  })
})
