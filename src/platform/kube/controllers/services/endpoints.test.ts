/** Tests of the Endpoints and EndpointSlice controllers against objects of a real cluster. */
import type { PodStatus, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { endpointSlices, endpoints, pods, services } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createGarbageCollector } from '../cleanup/garbage-collector.ts'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { createEndpointSliceController } from './endpoint-slice.ts'
import { endpointSliceMirroringController } from './endpoint-slice-mirroring.ts'
import { createEndpointsController } from './endpoints.ts'

const TRIGGER = 'endpoints.kubernetes.io/last-change-trigger-time'

const start = (spec: Partial<ServiceSpec> = {}): TestCluster => {
  const cluster = createTestCluster([
    createEndpointsController(),
    createEndpointSliceController(),
    endpointSliceMirroringController,
    createGarbageCollector(),
  ])
  cluster.podOutcome = () => 'pending'
  cluster.client.create(services, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  })
  cluster.clock.advance(0)
  return cluster
}

const addPod = (cluster: TestCluster, name: string, ip: string, ready = true, port = 9090): void => {
  const pod = cluster.client.create(pods, {
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: {
      nodeName: 'node1',
      containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: port }] }],
    },
  })
  cluster.reportStatus(pod, runningAt(cluster, ip, ready))
}

const runningAt = ({ clock }: TestCluster, ip: string, ready: boolean): Partial<PodStatus> => ({
  phase: 'Running',
  podIP: ip,
  podIPs: [{ ip }],
  conditions: [
    {
      type: 'Ready',
      status: ready ? 'True' : 'False',
      lastTransitionTime: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
    },
  ],
})

const targetRefOf = ({ client }: TestCluster, name: string) => ({
  kind: 'Pod',
  namespace: 'default',
  name,
  uid: client.get(pods, 'default', name)!.metadata.uid,
})

const listSlices = ({ client }: TestCluster): readonly Stored<EndpointSlice>[] =>
  client.list(endpointSlices, 'default')

describe('Endpoints', () => {
  it('equal those of a real cluster', () => {
    const cluster = start()
    addPod(cluster, 'b', '10.244.0.80')
    addPod(cluster, 'a', '10.244.0.9')
    cluster.clock.advance(0)
    const address = (ip: string, name: string) => ({
      ip,
      nodeName: 'node1',
      targetRef: targetRefOf(cluster, name),
    })
    const web = cluster.client.get(endpoints, 'default', 'web')!
    expect(web.subsets).toEqual([
      {
        addresses: [address('10.244.0.9', 'a'), address('10.244.0.80', 'b')],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ])
    expect(web.metadata.labels).toBeUndefined()
    expect(web.metadata.managedFields?.[0]).toMatchObject({ manager: 'kube-controller-manager' })
  })

  it('list unready addresses separately, unless the Service publishes them', () => {
    const cluster = start()
    addPod(cluster, 'a', '10.244.0.2', false)
    cluster.clock.advance(0)
    const subset = () => cluster.client.get(endpoints, 'default', 'web')!.subsets![0]!
    expect(subset().addresses).toBeUndefined()
    expect(subset().notReadyAddresses).toHaveLength(1)
    const web = cluster.client.get(services, 'default', 'web')!
    cluster.client.update(services, { ...web, spec: { ...web.spec, publishNotReadyAddresses: true } })
    cluster.clock.advance(0)
    expect(subset().addresses).toHaveLength(1)
    expect(subset().notReadyAddresses).toBeUndefined()
  })

  it('group pods by the number of a named port', () => {
    const cluster = start({ ports: [{ name: 'web', port: 80, targetPort: 'http' }] })
    addPod(cluster, 'a', '10.244.0.2', true, 8080)
    addPod(cluster, 'b', '10.244.0.3', true, 9090)
    cluster.clock.advance(0)
    const { subsets } = cluster.client.get(endpoints, 'default', 'web')!
    expect(subsets!.map(({ ports }) => ports)).toEqual([
      [{ name: 'web', port: 8080, protocol: 'TCP' }],
      [{ name: 'web', port: 9090, protocol: 'TCP' }],
    ])
  })

  it('follow changes of pod labels, and the deletion of pods and of the Service', () => {
    const cluster = start()
    addPod(cluster, 'a', '10.244.0.2')
    addPod(cluster, 'b', '10.244.0.3')
    cluster.clock.advance(0)
    const ips = () =>
      (cluster.client.get(endpoints, 'default', 'web')!.subsets ?? [])
        .flatMap(({ addresses = [] }) => addresses)
        .map(({ ip }) => ip)
    const a = cluster.client.get(pods, 'default', 'a')!
    cluster.client.update(pods, { ...a, metadata: { ...a.metadata, labels: { app: 'other' } } })
    cluster.clock.advance(0)
    expect(ips()).toEqual(['10.244.0.3'])
    cluster.client.delete(pods, 'default', 'b')
    cluster.clock.advance(0)
    expect(ips()).toEqual([])
    cluster.client.delete(services, 'default', 'web')
    cluster.clock.advance(10)
    expect(cluster.client.list(endpoints)).toEqual([])
    expect(listSlices(cluster)).toEqual([])
    expect(cluster.errors).toEqual([])
  })

  it('of headless Services have the headless label', () => {
    const cluster = start({ clusterIP: 'None' })
    expect(cluster.client.get(endpoints, 'default', 'web')!.metadata.labels).toEqual({
      'service.kubernetes.io/headless': '',
    })
  })

  it('hold at most 1000 addresses', () => {
    const cluster = start()
    for (let number = 0; number < 1001; number += 1)
      addPod(cluster, `p${number}`, `10.244.${Math.floor(number / 250)}.${(number % 250) + 1}`)
    cluster.clock.advance(0)
    const web = cluster.client.get(endpoints, 'default', 'web')!
    expect(web.subsets![0]!.addresses).toHaveLength(1000)
    expect(web.metadata.annotations).toMatchObject({ 'endpoints.kubernetes.io/over-capacity': 'truncated' })
    expect(
      listSlices(cluster)
        .map((slice) => slice.endpoints.length)
        .sort(),
    ).toEqual([1, ...Array(10).fill(100)].sort())
  })

  it('are recreated if a client deletes them', () => {
    const cluster = start()
    cluster.client.delete(endpoints, 'default', 'web')
    cluster.clock.advance(0)
    expect(cluster.client.get(endpoints, 'default', 'web')).toBeDefined()
  })
})

describe('EndpointSlices', () => {
  it('equal those of a real cluster', () => {
    const cluster = start()
    cluster.clock.advance(2000)
    addPod(cluster, 'a', '10.244.0.80')
    cluster.clock.advance(0)
    const [slice] = listSlices(cluster)
    const web = cluster.client.get(services, 'default', 'web')!
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          'kubernetes.io/service-name': 'web',
        },
        annotations: { [TRIGGER]: '2026-01-01T00:00:02Z' },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            name: 'web',
            uid: web.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: 'IPv4',
      ports: [{ name: '', protocol: 'TCP', port: 8080 }],
    })
    expect(slice!.endpoints).toEqual([
      {
        addresses: ['10.244.0.80'],
        conditions: { ready: true, serving: true, terminating: false },
        targetRef: targetRefOf(cluster, 'a'),
        nodeName: 'node1',
      },
    ])
    expect(listSlices(cluster)).toHaveLength(1)
  })

  it('list terminating pods until they are deleted', () => {
    const cluster = start()
    addPod(cluster, 'a', '10.244.0.2')
    cluster.clock.advance(0)
    cluster.client.delete(pods, 'default', 'a')
    cluster.clock.advance(0)
    expect(listSlices(cluster)[0]!.endpoints[0]!.conditions).toEqual({
      ready: false,
      serving: true,
      terminating: true,
    })
    cluster.clock.advance(2000)
    expect(listSlices(cluster).map((slice) => slice.endpoints)).toEqual([[]])
  })

  it('are written once for many pods in one turn', () => {
    const cluster = start()
    let writes = 0
    cluster.client.watch(endpointSlices, () => {
      writes += 1
    })
    for (let number = 2; number < 52; number += 1) addPod(cluster, `p${number}`, `10.244.0.${number}`)
    cluster.clock.advance(0)
    expect(writes).toBe(1)
  })

  it('mirror user-managed Endpoints of a Service without a selector', () => {
    const cluster = start()
    cluster.client.create(services, {
      metadata: { name: 'database', namespace: 'default' },
      spec: { ports: [{ port: 5432 }] },
    })
    cluster.client.create(endpoints, {
      metadata: { name: 'database', namespace: 'default', labels: { tier: 'data' } },
      subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 5432 }] }],
    })
    cluster.clock.advance(0)
    const mirrors = () => listSlices(cluster).filter(({ metadata }) => metadata.generateName === 'database-')
    expect(mirrors()).toHaveLength(1)
    expect(mirrors()[0]).toMatchObject({
      metadata: {
        labels: {
          tier: 'data',
          'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
          'kubernetes.io/service-name': 'database',
        },
        ownerReferences: [{ kind: 'Endpoints', name: 'database' }],
      },
      endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
      ports: [{ name: '', port: 5432, protocol: 'TCP' }],
    })
    cluster.client.delete(endpoints, 'default', 'database')
    cluster.clock.advance(10)
    expect(mirrors()).toEqual([])
  })
})
