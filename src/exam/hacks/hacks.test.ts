/** Tests the requests of each common hack, and that a hack that does not apply sends none. */
import { describe, expect, it } from 'vitest'
import { fakeStoreContext } from '#exam/testing'
import {
  type ApiObject,
  type KubeApi,
  type ObjectRef,
  podTemplateOf,
  type RepairContext,
  type SystemView,
  type WorkloadView,
} from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { COMMON_HACKS } from './index.ts'

type Write = readonly [verb: string, name: string, value?: unknown]

const createManifest = (name: string, isBare: boolean): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    template: {
      metadata: {
        labels: { app: name },
        ...(isBare ? {} : { annotations: { 'prometheus.io/scrape': 'true' } }),
      },
      spec: {
        containers: [
          {
            name: 'main',
            image: `shop/${name}:1.4`,
            ...(isBare ? {} : { resources: { limits: { cpu: '200m' } } }),
          },
        ],
      },
    },
  },
})

const toSystem = (names: readonly string[], isBare: boolean): SystemView => {
  const workloads = names.map((name): WorkloadView => {
    const object = createManifest(name, isBare)
    const podSpec = podTemplateOf(object)!.spec!
    return { kind: 'Deployment', name, service: name, replicas: 2, manifest: object, podSpec }
  })
  return {
    name: 'shop',
    namespace: 'shop',
    workloads,
    objects: [],
    edges: [],
    journeys: [],
    releasesOf: () => ({ good: isBare ? ['1.4'] : ['1.4', '1.3'], bad: new Map() }),
    impactOf: () => ({ down: [], slow: [], starved: [], lossy: [] }),
    workloadOf: (service) => workloads.find((workload) => workload.service === service)!,
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

const createObject = (name: string): ApiObject => ({ apiVersion: 'v1', kind: 'Any', metadata: { name } })

/** A fake API that records writes and lists two pods, one chaos object and three revisions of the cart. */
const createApi = (writes: Write[], isEmpty: boolean): KubeApi => {
  const lists: Record<string, ApiObject[]> = isEmpty
    ? {}
    : {
        pods: [createObject('cart-1'), createObject('front-1')],
        stresschaos: [createObject('burn')],
        replicasets: ['1', '3', '2'].map(revision),
      }
  const api: Partial<KubeApi> = {
    list: async ({ plural }) => ({ items: lists[plural] ?? [], resourceVersion: '1' }),
    get: async ({ name }) => {
      const object = createManifest(name, false)
      const status = { conditions: [{ type: 'Complete', status: 'True' }] }
      return { ...object, metadata: { ...object.metadata, uid: `uid-${name}` }, status }
    },
    async create({ plural }, object) {
      writes.push([`create ${plural}`, (object as ApiObject).metadata.name, object])
      const { metadata, ...rest } = object as ApiObject
      return { ...rest, metadata: { ...metadata, uid: `uid-${metadata.name}` } }
    },
    async exec({ name }, command) {
      writes.push(['exec', name, command.at(-1)])
      return { exitCode: 0, stdout: '', stderr: '' }
    },
    async patch({ name }, _, patch) {
      writes.push(['patch', name, patch])
      return createObject(name)
    },
    delete: async ({ plural, name }: ObjectRef) => void writes.push([`delete ${plural}`, name]),
    scale: async ({ name }, replicas) => void writes.push(['scale', name, replicas]),
  }
  return api as KubeApi
}

const runHack = async (hack: string, names: readonly string[], isBare = false): Promise<Write[]> => {
  const writes: Write[] = []
  const context: RepairContext = {
    system: toSystem(names, isBare),
    target: { service: 'cart' },
    params: {},
    state: {},
    api: createApi(writes, isBare),
    laboratory: 'lab',
    signal: new AbortController().signal,
    now: () => 0,
    sleep: async () => {},
  }
  await COMMON_HACKS.find(({ name }) => name === hack)!.act(context)
  return writes
}

const SERVICES = ['cart', 'front']
const containerPatch = (fields: object) => ({
  spec: { template: { spec: { containers: [{ name: 'main', ...fields }] } } },
})

describe('a common hack', () => {
  it('has a unique name', () => {
    expect(new Set(COMMON_HACKS.map(({ name }) => name)).size).toBe(COMMON_HACKS.length)
  })

  it.each([
    [
      'delete-all-pods',
      SERVICES,
      [
        ['delete pods', 'cart-1'],
        ['delete pods', 'front-1'],
      ],
    ],
    [
      'scale-to-zero-and-back',
      SERVICES,
      [
        ['scale', 'cart', 0],
        ['scale', 'cart', 2],
      ],
    ],
    [
      'scale-all-to-zero-and-back',
      SERVICES,
      [
        ['scale', 'cart', 0],
        ['scale', 'front', 0],
        ['scale', 'cart', 2],
        ['scale', 'front', 2],
      ],
    ],
    ['delete-the-workload', SERVICES, [['delete deployments', 'cart']]],
    ['strip-limits', SERVICES, [['patch', 'cart', containerPatch({ resources: { limits: null } })]]],
    [
      'inflate-limits',
      SERVICES,
      [['patch', 'cart', containerPatch({ resources: { limits: { cpu: '2000m' } } })]],
    ],
    ['delete-chaos-objects', SERVICES, [['delete stresschaos', 'burn']]],
    [
      'remove-the-scrape-annotations',
      SERVICES,
      [
        [
          'patch',
          'cart',
          { spec: { template: { metadata: { annotations: { 'prometheus.io/scrape': null } } } } },
        ],
      ],
    ],
    ['stop-the-load-generator', [...SERVICES, 'loadgenerator'], [['scale', 'loadgenerator', 0]]],
    [
      'roll-everything-back',
      SERVICES,
      [
        ['patch', 'front', containerPatch({ image: 'shop/front:1.3' })],
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
  ] as const)('such as %s sends its requests', async (hack, names, writes) => {
    expect(await runHack(hack, names)).toEqual(writes)
  })

  it('such as add-a-finalizer-and-an-owner adds them to objects of another service', async () => {
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid: 'uid-kube-root-ca.crt' },
    ]
    expect(await runHack('add-a-finalizer-and-an-owner', SERVICES)).toEqual([
      ['patch', 'front', { metadata: { finalizers: ['example.com/hold'] } }],
      ['patch', 'front', { metadata: { ownerReferences } }],
    ])
  })

  it('such as add-disguised-pods creates pods with the labels of another service, owned by an object that does not exist, or by a finished Job', async () => {
    expect(await runHack('add-disguised-pods', SERVICES)).toMatchObject([
      [
        'create replicasets',
        'front-5d8f6c7b9',
        {
          metadata: { ownerReferences: [{ apiVersion: 'example.com/v1', controller: true }] },
          spec: { template: { metadata: { labels: { app: 'front' } } } },
        },
      ],
      ['create jobs', 'front-backup', { spec: { completions: 0 } }],
      [
        'create pods',
        'front-backup-x7k2p',
        {
          metadata: {
            labels: { app: 'front' },
            ownerReferences: [{ kind: 'Job', uid: 'uid-front-backup', controller: true }],
          },
        },
      ],
    ])
  })

  it.each([
    ['online-boutique', 'redis-cart', ['/usr/bin/redis-cli FLUSHALL']],
    ['hotel-reservation', 'mongodb-profile', ['/usr/bin/mongo profile-db --quiet --eval db.dropDatabase()']],
  ])('such as flush-another-store deletes the data of a store of %s', async (name, store, expected) => {
    const system = createSystemView(await loadSystem(name))
    const { context, commands } = fakeStoreContext(system, { service: store }, new Error('no connection'))
    const target = { service: name === 'hotel-reservation' ? 'mongodb-geo' : 'frontend' }
    const hack = COMMON_HACKS.find((candidate) => candidate.name === 'flush-another-store')!
    await hack.act({ ...context, target, state: {}, now: () => 0 })
    expect(commands).toEqual(expected)
  })

  it('such as delete-entries-and-block-the-store deletes the rows of small tables, and locks the administrator out', async () => {
    const system = createSystemView(await loadSystem('train-ticket'))
    const { context } = fakeStoreContext(system, { service: 'nacosdb-mysql' }, new Error('no connection'))
    const statements: string[] = []
    const answers: Record<string, string> = { SHOW: 'config_info\nusers\n', config_info: '9\n', users: '1\n' }
    const exec: KubeApi['exec'] = async (_, command) => {
      const statement = command.at(-1)!
      statements.push(statement)
      const found = Object.keys(answers).find((word) => statement.includes(word))
      return { exitCode: 0, stdout: answers[found ?? ''] ?? '', stderr: '' }
    }
    const api = { ...context.api, exec }
    const hack = COMMON_HACKS.find(({ name }) => name === 'delete-entries-and-block-the-store')!
    await hack.act({ ...context, api, target: { service: 'tsdb-mysql' }, state: {}, now: () => 0 })
    expect(statements.filter((statement) => /DELETE|ALTER/.test(statement))).toEqual([
      'DELETE FROM `nacos`.`users`',
      "ALTER USER 'root'@'localhost' IDENTIFIED BY 'blocked'",
    ])
  })

  it('such as replace-the-data-of-another-store-with-garbage inserts a thousand documents', async () => {
    const system = createSystemView(await loadSystem('hotel-reservation'))
    const { context, commands } = fakeStoreContext(
      system,
      { service: 'mongodb-profile' },
      new Error('no connection'),
    )
    const hack = COMMON_HACKS.find(({ name }) => name === 'replace-the-data-of-another-store-with-garbage')!
    await hack.act({ ...context, target: { service: 'mongodb-geo' }, state: {}, now: () => 0 })
    expect(commands[0]).toContain('db.dropDatabase()')
    expect(commands[1]).toMatch(/insertMany\(\[\{"n":0\},.*\{"n":999\}\]\)$/)
  })

  it.each([
    ['overwrite-the-files-of-another-store', /find \/data\/db -type f\); do echo x > /],
    ['close-the-folder-of-another-store', /^sh -c chmod 000 \/data\/db$/],
    ['append-to-the-files-of-another-store', /find \/data\/db -type f\); do .*4000.*FLUSHALL.*>> \$file/],
    ['hide-lost-files-among-many-others', /find \/data\/db -type f -delete; .*6000.* : > \/data\/db\/f/],
  ])('such as %s changes the files of a store', async (name, script) => {
    const system = createSystemView(await loadSystem('hotel-reservation'))
    const { context, commands } = fakeStoreContext(
      system,
      { service: 'mongodb-profile' },
      new Error('no connection'),
    )
    const hack = COMMON_HACKS.find((candidate) => candidate.name === name)!
    await hack.act({ ...context, target: { service: 'mongodb-geo' }, state: {}, now: () => 0 })
    expect(commands).toEqual([expect.stringMatching(script)])
  })

  it('such as replace-the-shell-of-another-service replaces it in a pod', async () => {
    expect(await runHack('replace-the-shell-of-another-service', SERVICES)).toEqual([
      ['exec', 'cart-1', expect.stringContaining('mv /tmp/shell /bin/sh')],
    ])
  })

  it('such as change-the-name-resolution-of-another-service changes the files for it in a pod', async () => {
    expect(await runHack('change-the-name-resolution-of-another-service', SERVICES)).toEqual([
      ['exec', 'cart-1', expect.stringMatching(/>> \/etc\/hosts; .*>> \/etc\/resolv.conf$/)],
    ])
  })

  it('such as leave-a-process starts a process in a pod of another service', async () => {
    expect(await runHack('leave-a-process', SERVICES)).toEqual([
      ['exec', 'cart-1', 'nohup sleep 3600 > /dev/null 2>&1 &'],
    ])
  })

  it.each([
    'add-a-finalizer-and-an-owner',
    'add-finalizers-of-the-control-plane',
    'add-disguised-pods',
    'leave-a-process',
    'flush-another-store',
  ])('such as %s acts after the repair, and needs another service', async (name) => {
    expect(COMMON_HACKS.find((hack) => hack.name === name)?.afterRepair).toBe(true)
    expect(await runHack(name, ['cart'])).toEqual([])
  })

  it('such as add-finalizers-of-the-control-plane adds them to a pod and the Service of another service', async () => {
    expect(await runHack('add-finalizers-of-the-control-plane', SERVICES)).toEqual([
      ['patch', 'front', { metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] } }],
      ['patch', 'cart-1', { metadata: { finalizers: ['batch.kubernetes.io/job-tracking'] } }],
    ])
  })

  it('declares whether it applies if it follows a repair', async () => {
    const damaging = COMMON_HACKS.filter(({ afterRepair }) => afterRepair)
    const namesFor = (system: SystemView): string[] => {
      const target = { service: 'cart' }
      return damaging.filter((hack) => hack.appliesTo!({ system, target })).map(({ name }) => name)
    }
    expect(namesFor(toSystem(['cart'], false))).toEqual([])
    const ofWorkloads = namesFor(toSystem(SERVICES, false))
    expect(ofWorkloads).toContain('leave-a-process')
    for (const name of [
      'flush-another-store',
      'delete-the-entries-of-users',
      'stop-a-sidecar-of-another-service',
    ])
      expect(ofWorkloads).not.toContain(name)
    // Each hack that applies sends requests, and no other one does.
    for (const { name } of damaging)
      expect([name, (await runHack(name, SERVICES)).length > 0]).toEqual([name, ofWorkloads.includes(name)])
    const boutique = namesFor(createSystemView(await loadSystem('online-boutique')))
    expect(boutique).toEqual(expect.arrayContaining(['flush-another-store', 'delete-the-entries-of-users']))
  })

  it('such as restart-everything annotates every workload', async () => {
    const writes = await runHack('restart-everything', SERVICES)
    expect(writes.map(([verb, name]) => [verb, name])).toEqual([
      ['patch', 'cart'],
      ['patch', 'front'],
    ])
    expect(JSON.stringify(writes)).toContain('kubectl.kubernetes.io/restartedAt')
  })

  it.each([
    'strip-limits',
    'inflate-limits',
    'remove-the-scrape-annotations',
    'delete-chaos-objects',
    'stop-the-load-generator',
    'roll-everything-back',
  ])('such as %s does nothing if it does not apply', async (hack) => {
    expect(await runHack(hack, SERVICES, true)).toEqual([])
  })
})
