/** Each common hack writes what it says, and nothing where it can do nothing. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, HackContext, KubeApi, ObjectRef, SystemView, WorkloadView } from '../spec/index.ts'
import { COMMON_HACKS } from './index.ts'

type Write = readonly [verb: string, name: string, value?: unknown]

const manifest = (name: string, bare: boolean): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    template: {
      metadata: {
        labels: { app: name },
        ...(bare ? {} : { annotations: { 'prometheus.io/scrape': 'true' } }),
      },
      spec: {
        containers: [
          {
            name: 'main',
            image: `shop/${name}:1.4`,
            ...(bare ? {} : { resources: { limits: { cpu: '200m' } } }),
          },
        ],
      },
    },
  },
})

const toSystem = (names: readonly string[], bare: boolean): SystemView => {
  const workloads = names.map((name): WorkloadView => {
    const object = manifest(name, bare)
    const { template } = object.spec as { template: { spec: WorkloadView['podSpec'] } }
    return { kind: 'Deployment', name, service: name, replicas: 2, manifest: object, podSpec: template.spec }
  })
  return {
    name: 'shop',
    namespace: 'shop',
    workloads,
    objects: [],
    edges: [],
    journeys: [],
    releasesOf: () => ({ good: bare ? ['1.4'] : ['1.4', '1.3'], bad: new Map() }),
    impactOf: () => ({ down: [], slow: [], starved: [], lossy: [] }),
    workloadOf: (service) => workloads.find((one) => one.service === service)!,
    callersOf: () => [],
  }
}

const revision = (number: string): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: `cart-${number}`,
    annotations: { 'deployment.kubernetes.io/revision': number },
    ownerReferences: [{ name: 'cart' }],
  },
  spec: {
    template: { metadata: { labels: { app: 'cart', 'pod-template-hash': 'x' } }, spec: { from: number } },
  },
})

const named = (name: string): ApiObject => ({ apiVersion: 'v1', kind: 'Any', metadata: { name } })

/** Remembers what is written; lists two pods, one chaos object and three revisions of the cart. */
const createApi = (writes: Write[], isEmpty: boolean): KubeApi => {
  const lists: Record<string, ApiObject[]> = isEmpty
    ? {}
    : {
        pods: [named('cart-1'), named('front-1')],
        stresschaos: [named('burn')],
        replicasets: ['1', '3', '2'].map(revision),
      }
  const api: Partial<KubeApi> = {
    list: async ({ plural }) => ({ items: lists[plural] ?? [], resourceVersion: '1' }),
    get: async ({ name }) => manifest(name, false),
    async patch({ name }, _, patch) {
      writes.push(['patch', name, patch])
      return named(name)
    },
    delete: async ({ plural, name }: ObjectRef) => void writes.push([`delete ${plural}`, name]),
    scale: async ({ name }, replicas) => void writes.push(['scale', name, replicas]),
  }
  return api as KubeApi
}

const play = async (hack: string, names: readonly string[], bare = false): Promise<Write[]> => {
  const writes: Write[] = []
  const context: HackContext = {
    system: toSystem(names, bare),
    target: { service: 'cart' },
    params: {},
    state: {},
    api: createApi(writes, bare),
    laboratory: 'lab',
    signal: new AbortController().signal,
    sleep: async () => {},
  }
  await COMMON_HACKS.find(({ name }) => name === hack)!.act(context)
  return writes
}

const SHOP = ['cart', 'front']
const container = (fields: object) => ({
  spec: { template: { spec: { containers: [{ name: 'main', ...fields }] } } },
})

describe('hacks', () => {
  it('have names of their own', () => {
    expect(new Set(COMMON_HACKS.map(({ name }) => name)).size).toBe(COMMON_HACKS.length)
  })

  it.each([
    [
      'delete-all-pods',
      SHOP,
      [
        ['delete pods', 'cart-1'],
        ['delete pods', 'front-1'],
      ],
    ],
    [
      'scale-to-zero-and-back',
      SHOP,
      [
        ['scale', 'cart', 0],
        ['scale', 'cart', 2],
      ],
    ],
    [
      'scale-all-to-zero-and-back',
      SHOP,
      [
        ['scale', 'cart', 0],
        ['scale', 'front', 0],
        ['scale', 'cart', 2],
        ['scale', 'front', 2],
      ],
    ],
    ['delete-the-workload', SHOP, [['delete deployments', 'cart']]],
    ['strip-limits', SHOP, [['patch', 'cart', container({ resources: { limits: null } })]]],
    ['inflate-limits', SHOP, [['patch', 'cart', container({ resources: { limits: { cpu: '2000m' } } })]]],
    ['delete-chaos-objects', SHOP, [['delete stresschaos', 'burn']]],
    [
      'silence-alerts',
      SHOP,
      [
        [
          'patch',
          'cart',
          { spec: { template: { metadata: { annotations: { 'prometheus.io/scrape': null } } } } },
        ],
      ],
    ],
    ['kill-the-load-generator', [...SHOP, 'loadgenerator'], [['scale', 'loadgenerator', 0]]],
    [
      'roll-everything-back',
      SHOP,
      [
        ['patch', 'front', container({ image: 'shop/front:1.3' })],
        [
          'patch',
          'cart',
          [
            {
              op: 'replace',
              path: '/spec/template',
              value: { metadata: { labels: { app: 'cart' } }, spec: { from: '2' } },
            },
          ],
        ],
      ],
    ],
  ] as const)('%s', async (hack, names, writes) => {
    expect(await play(hack, names)).toEqual(writes)
  })

  it('restart-everything', async () => {
    const writes = await play('restart-everything', SHOP)
    expect(writes.map(([verb, name]) => [verb, name])).toEqual([
      ['patch', 'cart'],
      ['patch', 'front'],
    ])
    expect(JSON.stringify(writes)).toContain('kubectl.kubernetes.io/restartedAt')
  })

  it.each([
    'strip-limits',
    'inflate-limits',
    'silence-alerts',
    'delete-chaos-objects',
    'kill-the-load-generator',
    'roll-everything-back',
  ])('%s does nothing where there is nothing to do', async (hack) => {
    expect(await play(hack, SHOP, true)).toEqual([])
  })
})
