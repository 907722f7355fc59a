/** Tests the parts that are derived from a topology: edges, manifests and slices. */
import { describe, expect, it } from 'vitest'
import { callEdges, liveEdges } from './edges.ts'
import { parseTopology } from './parse-topology.ts'
import { toManifests } from './to-manifests.ts'
import { toSlices } from './to-slices.ts'

const topology = parseTopology(
  `system: shop
objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {A: b}}, {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: v}}]
services:
  web:
    upstreams: {orders: {address: env.ORDERS, registry: nacos}, ads: {dead: true}}
    endpoints:
      GET /:
        steps:
          - {call: orders GET /orders, as: orders}
          - each: orders
            do:
              - parallel:
                  - {query: cache, redis: ['"GET"', it.id], critical: false}
                  - {query: memory, memory: ['"all"']}
    deploy:
      env: {ORDERS: 'orders:80', KEY: {secret: s, key: k}, MAP: {configMap: settings, key: A}, IP: {field: status.hostIP}}
      envFrom: [{secret: s}, {configMap: settings}]
  orders:
    register: {in: nacos}
    endpoints:
      GET /orders:
        steps: [{query: db, sql: SELECT * FROM orders WHERE a = ?, with: ['1']}]
      POST /orders:
        steps: [{query: queue, publish: {queue: mail, message: '{}'}}]
    deploy: {services: [{name: orders, spec: {selector: {app: orders}, ports: [{port: 80, targetPort: 8080}]}}]}
  ads: {protocol: grpc, rpc: shop.Ads, endpoints: {GetAds: }}
  mailer:
    consumes: {mail: {from: queue, steps: [{log: message}]}}
    deploy: {labels: {app: mailer, tier: back}, services: [], readinessProbe: false}
  cache: {protocol: redis, deploy: {image: 'redis:7.0'}}
  sessions: {protocol: redis, deploy: {image: 'redis:7.0', releases: {'7.1': {defects: [{kind: slow}]}}}}
  db:
    protocol: mysql
    deploy: {kind: StatefulSet, replicas: 3, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}
  queue: {protocol: amqp}
  nacos: {protocol: nacos}
`,
  'topology.yaml',
)

describe('edges', () => {
  it('are calls, look-ups, registrations and messages', () => {
    expect(liveEdges(topology).map(({ from, to }) => `${from} ${to}`)).toEqual([
      'mailer queue',
      'orders db',
      'orders mailer',
      'orders nacos',
      'orders queue',
      'web cache',
      'web nacos',
      'web orders',
    ])
  })

  it('state whether their calls are critical', () => {
    expect(callEdges(topology)).toEqual([
      { from: 'web', to: 'orders', operation: 'GET /orders', endpoint: 'GET /', critical: true },
      { from: 'web', to: 'cache', operation: 'GET', endpoint: 'GET /', critical: false },
      { from: 'orders', to: 'db', operation: 'SELECT', endpoint: 'GET /orders', critical: true },
      { from: 'orders', to: 'queue', operation: 'publish mail', endpoint: 'POST /orders', critical: true },
    ])
  })
})

describe('manifests', () => {
  type Manifest = { kind: string; metadata: { name: string }; spec: Record<string, unknown> }
  const manifests = toManifests(topology) as Manifest[]
  const find = (kind: string, name: string): Manifest | undefined =>
    manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)

  it('are in the order of their dependencies', () => {
    const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    expect(manifests[0]?.kind).toBe('ConfigMap')
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(
      ['cache', 'sessions', 'db', 'queue', 'nacos', 'web', 'orders', 'ads', 'mailer'], // stores before services
    )
  })

  it('have environment variables, annotations and labels', () => {
    expect(find('Deployment', 'web')).toMatchObject({
      metadata: { labels: { app: 'web' } },
      spec: {
        template: {
          metadata: { annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' } },
          spec: {
            containers: [
              {
                name: 'web',
                env: [
                  { name: 'ORDERS', value: 'orders:80' },
                  { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
                  { name: 'MAP', valueFrom: { configMapKeyRef: { name: 'settings', key: 'A' } } },
                  { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
                ],
                envFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'settings' } }],
                readinessProbe: { tcpSocket: { port: 8080 } },
              },
            ],
          },
        },
      },
    })
    expect(find('Deployment', 'ads')).toMatchObject({
      spec: { template: { metadata: { annotations: { 'prometheus.io/port': '9464' } } } },
    })
    const mailer = find('Deployment', 'mailer')
    expect(mailer).toMatchObject({ spec: { selector: { matchLabels: { app: 'mailer', tier: 'back' } } } })
    expect(JSON.stringify(mailer)).not.toContain('readinessProbe')
    expect(find('Service', 'mailer')).toBeUndefined()
    expect(find('StatefulSet', 'db')).toMatchObject({
      spec: { serviceName: 'db', replicas: 3, volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
    })
  })
})

describe('slices', () => {
  const slices = toSlices(topology)
  const slicesOf = (image: string) => slices.find((entry) => entry.image === image)?.slices

  it('contain the service, its release and the protocols of its upstreams', () => {
    expect(slicesOf('shop/web:1.0.0')).toEqual([
      {
        system: 'shop',
        service: 'web',
        release: '1.0.0',
        behaviour: topology.services.web?.behaviour,
        protocols: {
          orders: { protocol: 'http', port: 80 },
          cache: { protocol: 'redis', port: 6379 },
          nacos: { protocol: 'nacos', port: 8848 },
          ads: { protocol: 'grpc', rpc: 'shop.Ads', port: 8080 },
        },
      },
    ])
  })

  it('contain only the defects of their release', () => {
    expect(slicesOf('shop/web:0.9.0')?.[0]?.behaviour.defects).toBeUndefined()
    expect(slicesOf('shop/web:1.0.3')?.[0]?.behaviour.defects).toEqual([{ kind: 'crash' }])
  })

  it('include all services that share an image, for each tag of any of them', () => {
    expect(slicesOf('redis:7.0')?.map(({ service }) => service)).toEqual(['cache', 'sessions'])
    expect(slicesOf('redis:7.1')?.map(({ service, behaviour }) => [service, behaviour.defects])).toEqual([
      ['cache', undefined],
      ['sessions', [{ kind: 'slow' }]],
    ])
  })
})
