/** Each runbook: finds its own trouble, answers rightly, writes the right playbook, and finds nothing where nothing is wrong. */
import { describe, expect, it } from 'vitest'
import { yamlLibrary } from '../../../kit/index.ts'
import type { ApiObject } from '../../../spec/index.ts'
import { createWorld } from '../observe/world.ts'
import type { Focus, Hypothesis } from '../runbook.ts'
import { actionsOf, createFakeCluster, type FakeCluster, NAMESPACE } from '../testing/fake-cluster.ts'
import {
  CALM,
  configMap,
  deployment,
  edge,
  event,
  failing,
  line,
  other,
  pendingPod,
  pod,
  secret,
  service,
  shop,
  slow,
  template,
  usage,
  waitingPod,
} from '../testing/fake-objects.ts'
import { RUNBOOKS } from './index.ts'

const look = async (parts: Partial<FakeCluster>, focus: Focus = {}, name?: string): Promise<Hypothesis[]> => {
  const world = createWorld(
    actionsOf(createFakeCluster({ edges: [...CALM], before: [...CALM], ...parts })),
    NAMESPACE,
  )
  const found: Hypothesis[] = []
  for (const runbook of RUNBOOKS)
    if (name === undefined || runbook.name === name) found.push(...(await runbook.look(world, focus)))
  return found
}

const only = async (name: string, parts: Partial<FakeCluster>, focus?: Focus): Promise<Hypothesis> => {
  const found = await look(parts, focus, name)
  expect(found.map(({ runbook }) => runbook)).toEqual([name])
  return found[0]!
}

const tasksOf = ({ fix }: Hypothesis): any[] => yamlLibrary().parse(fix!.playbook)[0].tasks
const patchOf = (hypothesis: Hypothesis): any =>
  tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.spec.template

const node = (name: string, spec: object = {}): ApiObject =>
  other('v1', 'Node', name, { spec, status: { allocatable: { cpu: '2' } } })

describe('where nothing is wrong', () => {
  it('nothing is found, with and without a name', async () => {
    const objects = shop(node('node-1'))
    expect(await look({ objects, usage: ['frontend', 'cart', 'store'].map((one) => usage(one)) })).toEqual([])
    for (const category of ['pod-fail', 'pod-config-error'] as const) {
      const found = await look({ objects }, { service: 'cart', category })
      expect(found.every(({ runbook }) => runbook === 'sick-pod')).toBe(true)
    }
  })
})

describe('rollout', () => {
  const changed = (main: object, rest: object = {}) =>
    shop(...deployment('cart', { now: template('cart', main, rest), previous: template('cart'), ready: 0 }))

  it('puts back limits, and nothing else', async () => {
    const resources = { requests: { cpu: '1m', memory: '64Mi' }, limits: { cpu: '2m', memory: '256Mi' } }
    const found = await only('rollout', {
      objects: changed({ resources }),
      edges: [failing('frontend', 'cart')],
    })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'misconfiguration' })
    expect(patchOf(found)).toEqual({
      spec: {
        containers: [{ name: 'server', resources: { requests: { cpu: '100m' }, limits: { cpu: '200m' } } }],
      },
    })
    expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({
      ...{ state: 'patched', kind: 'Deployment', name: 'cart', namespace: NAMESPACE },
    })
  })

  it('takes away what was added, by the keys of lists', async () => {
    const added = {
      env: [{ name: 'LOG_LEVEL', value: 'trace' }],
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
      livenessProbe: { tcpSocket: { port: 8081 } },
    }
    const spec = {
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } }],
      hostAliases: [{ ip: '127.0.0.1', hostnames: ['store'] }],
      nodeSelector: { disktype: 'nvme' },
    }
    const found = await only('rollout', { objects: changed(added, { spec }) })
    expect(patchOf(found).spec).toEqual({
      containers: [
        {
          ...{ name: 'server', livenessProbe: null },
          env: [{ name: 'LOG_LEVEL', $patch: 'delete' }],
          volumeMounts: [{ mountPath: '/data', $patch: 'delete' }],
        },
      ],
      volumes: [{ name: 'data', $patch: 'delete' }],
      hostAliases: [{ ip: '127.0.0.1', $patch: 'delete' }],
      nodeSelector: null,
    })
    expect(found).toMatchObject({ layer: 'virtualisation', type: 'dependency-problem' })
  })

  it.each([
    [
      'an image that cannot be pulled',
      waitingPod('cart', 'ImagePullBackOff'),
      'virtualisation',
      'misconfiguration',
    ],
    ['a release that crashes', waitingPod('cart', 'CrashLoopBackOff'), 'application', 'code-defect'],
    ['a release that listens elsewhere', pod('cart', { ready: false }), 'application', 'misconfiguration'],
    ['a release that is slow', pod('cart'), 'application', 'code-defect'],
  ] as const)('knows %s', async (_what, of, layer, type) => {
    const objects = [...changed({ image: 'cart:2.0.0' }).filter((one) => one.kind !== 'Pod'), of]
    const refused = { ...event('Unhealthy', 'Pod/cart-abc', 'dial tcp: connection refused'), count: 4 }
    const found = await only('rollout', { objects, events: [refused] })
    expect(found).toMatchObject({ services: ['cart'], layer, type })
    expect(patchOf(found)).toEqual({ spec: { containers: [{ name: 'server', image: 'cart:1.0.0' }] } })
  })

  it.each([
    ['JWT_MAX_AGE', 'application', 'authentication-issue'],
    ['MAX_CONNECTIONS', 'middleware', 'capacity-shortage'],
    ['MEMC_TTL', 'middleware', 'misconfiguration'],
    ['STORE_ADDR', 'application', 'misconfiguration'],
  ] as const)('knows what the variable %s is for', async (name, layer, type) => {
    const found = await only('rollout', { objects: changed({ env: [{ name, value: '1' }] }) })
    expect(found).toMatchObject({ layer, type })
  })

  it('knows bandwidth and names', async () => {
    const annotations = { 'kubernetes.io/egress-bandwidth': '4k' }
    const capped = await only('rollout', {
      objects: changed({}, { metadata: { labels: { app: 'cart' }, annotations } }),
    })
    expect(capped).toMatchObject({ layer: 'network', type: 'misconfiguration' })
    expect(patchOf(capped)).toEqual({
      metadata: { annotations: { 'kubernetes.io/egress-bandwidth': null } },
    })
    const misled = await only('rollout', { objects: changed({}, { spec: { dnsPolicy: 'None' } }) })
    expect(misled).toMatchObject({ layer: 'network', type: 'misconfiguration' })
  })

  it('finds the revisions of a StatefulSet, too', async () => {
    const owner = { ownerReferences: [{ uid: 'StatefulSet-db' }] }
    const revision = (number: number, of: object): ApiObject =>
      other('apps/v1', 'ControllerRevision', `db-${number}`, {
        ...{ metadata: owner, revision: number, data: { spec: { template: { ...of, $patch: 'replace' } } } },
      })
    const small = template('db', { env: [{ name: 'MAX_CONNECTIONS', value: '4' }] })
    const set = other('apps/v1', 'StatefulSet', 'db', { spec: { replicas: 1, template: small }, status: {} })
    const found = await only('rollout', {
      objects: [...shop(), set, revision(1, template('db')), revision(2, small)],
    })
    expect(found).toMatchObject({ services: ['db'], layer: 'middleware', type: 'capacity-shortage' })
  })

  it('does not blame a mere restart', async () => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' }
    const objects = changed({}, { metadata: { labels: { app: 'cart' }, annotations } })
    expect(await look({ objects }, {}, 'rollout')).toEqual([])
  })
})

describe('pods that do not come', () => {
  it('scales back what was scaled to nothing', async () => {
    const found = await only('scaled-to-zero', {
      objects: shop(...deployment('cart', { replicas: 0 })),
      events: [event('ScalingReplicaSet', 'Deployment/cart', 'Scaled down replica set cart-1 from 2 to 0')],
    })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s_scale']).toMatchObject({ name: 'cart', replicas: 2 })
  })

  const without = (name: string): ApiObject[] =>
    shop(...deployment(name, { ready: 0 })).filter(
      ({ kind, metadata }) => kind !== 'Pod' || metadata.name !== `${name}-abc`,
    )

  it('raises a quota that is spent', async () => {
    const quota = other('v1', 'ResourceQuota', 'compute', { spec: { hard: { pods: '2' } } })
    const refusal = 'pods "cart-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2'
    const found = await only('refused-pods', {
      objects: [...without('cart'), quota],
      events: [event('FailedCreate', 'ReplicaSet/cart-1', refusal)],
    })
    expect(found).toMatchObject({ services: ['cart'], type: 'misconfiguration' })
    const [mend, restart] = tasksOf(found)
    expect(mend['kubernetes.core.k8s']).toMatchObject({
      ...{ kind: 'ResourceQuota', name: 'compute', definition: { spec: { hard: { pods: '12' } } } },
    })
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('raises a limit range to what the largest container has', async () => {
    const limits = [{ type: 'Container', max: { cpu: '100m' } }]
    const found = await only('refused-pods', {
      objects: [...without('cart'), other('v1', 'LimitRange', 'bounds', { spec: { limits } })],
      events: [
        event(
          'FailedCreate',
          'ReplicaSet/cart-1',
          'pods "c" is forbidden: maximum cpu usage per Container is 100m',
        ),
      ],
    })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toEqual({
      spec: { limits: [{ type: 'Container', max: { cpu: '200m' } }] },
    })
  })

  it('uncordons nodes', async () => {
    const found = await only('unschedulable', {
      objects: shop(
        pendingPod('cart', '0/2 nodes are available: 2 node(s) were unschedulable.'),
        ...[node('node-1', { unschedulable: true }), node('node-2', { unschedulable: true })],
      ),
    })
    expect(found).toMatchObject({ services: ['cart'], type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toMatchObject([
      { kind: 'Node', metadata: { name: 'node-1' }, spec: { unschedulable: false } },
      { metadata: { name: 'node-2' } },
    ])
  })

  it('parks batch work that has reserved the nodes, and no service', async () => {
    const greedy = template('report', { resources: { requests: { cpu: '1800m' } } })
    const found = await only('unschedulable', {
      objects: shop(
        pendingPod('cart', '0/1 nodes are available: 1 Insufficient cpu.'),
        ...[node('node-1'), ...deployment('report', { now: greedy })],
      ),
    })
    expect(found).toMatchObject({ services: ['cart', 'report'], type: 'capacity-shortage' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toMatchObject([
      { kind: 'Deployment', metadata: { name: 'report' }, spec: { replicas: 0 } },
    ])
  })
})

describe('ways that lead nowhere', () => {
  it.each([
    [{ app: 'cart-v2' }, { app: 'cart' }],
    [
      { app: 'cart', track: 'stable' },
      { app: 'cart', track: null },
    ],
  ])('corrects the selector %j', async (selector, right) => {
    const found = await only('service-routing', { objects: shop(service('cart', { selector })) })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({
      ...{ kind: 'Service', name: 'cart', definition: { spec: { selector: right } } },
    })
  })

  it('leaves selectors by which others tell the same pods apart', async () => {
    const by = (role: string) => service(`cart-${role}`, { selector: { app: 'cart', role } })
    expect(await look({ objects: shop(by('leader'), by('follower')) }, {}, 'service-routing')).toEqual([])
  })

  it('corrects a port that nobody listens on', async () => {
    const ports = [{ port: 80, targetPort: 8083 }]
    const found = await only('service-routing', { objects: shop(service('cart', { ports })) })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.spec.ports).toEqual([
      { port: 80, targetPort: 8080 },
    ])
  })

  const policy = (ingress: readonly object[]): ApiObject =>
    other('networking.k8s.io/v1', 'NetworkPolicy', 'cart-ingress', {
      spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'], ingress },
    })

  it.each([[[]], [[{ from: [{ podSelector: { matchLabels: { friend: 'true' } } }] }]]])(
    'takes a policy away that shuts callers out: %j',
    async (ingress) => {
      const found = await only('network-policy', { objects: shop(policy(ingress)) })
      expect(found).toMatchObject({ services: ['cart'], layer: 'network', type: 'misconfiguration' })
      expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({
        ...{ state: 'absent', kind: 'NetworkPolicy', name: 'cart-ingress' },
      })
    },
  )

  it('leaves a policy that lets callers in', async () => {
    const ingress = [{ from: [{ podSelector: { matchLabels: { app: 'frontend' } } }] }]
    expect(await look({ objects: shop(policy(ingress)) }, {}, 'network-policy')).toEqual([])
  })
})

describe('configuration', () => {
  const reading = template(
    'cart',
    {},
    { spec: { volumes: [{ name: 'c', configMap: { name: 'settings' } }] } },
  )
  const withConfig = (settings: unknown): ApiObject[] =>
    shop(
      ...deployment('cart', { now: reading }),
      configMap('settings', { 'c.json': JSON.stringify(settings) }),
    )

  it.each([
    [{ CartStore: 'store-svc:80' }, { CartStore: 'store:80' }],
    [{ CartStore: 'store:81' }, { CartStore: 'store:80' }],
    [{ store: { addr: 'store', port: 81 } }, { store: { addr: 'store', port: 80 } }],
    [{ store: { addr: 'store-svc', port: 80 } }, { store: { addr: 'store', port: 80 } }],
  ])('corrects %j', async (wrong, right) => {
    const found = await only('config-values', {
      objects: withConfig(wrong),
      edges: [failing('cart', 'store')],
    })
    expect(found).toMatchObject({ services: ['cart'], layer: 'application', type: 'misconfiguration' })
    const [mend, restart] = tasksOf(found)
    expect(JSON.parse(mend['kubernetes.core.k8s'].definition.data['c.json'])).toEqual(right)
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('leaves alone what leads somewhere, or where nobody can tell', async () => {
    const settings = { CartStore: 'store:80', Outside: 'api.example.com:443', Text: 'a:b', Port: 8080 }
    expect(await look({ objects: withConfig(settings) }, {}, 'config-values')).toEqual([])
  })

  const entry = (stem: string, password = 'right'): Record<string, string> => ({
    [`${stem}_MYSQL_HOST`]: 'db',
    [`${stem}_MYSQL_PASSWORD`]: password,
  })
  const withSecrets = (...own: readonly ApiObject[]): ApiObject[] => {
    const now = template('cart', { envFrom: [{ secretRef: { name: 'ts-cart-mysql' } }] })
    const siblings = ['food', 'route'].map((stem) => secret(`ts-${stem}-mysql`, entry(stem.toUpperCase())))
    return shop(...deployment('cart', { now, ready: 0 }), ...siblings, ...own)
  }

  it('makes a Secret that is gone after the pattern of the others', async () => {
    const found = await only('secrets', { objects: withSecrets() })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toMatchObject({
      ...{ kind: 'Secret', metadata: { name: 'ts-cart-mysql' }, stringData: entry('CART') },
    })
  })

  it('completes a Secret that lacks a key', async () => {
    const found = await only('secrets', {
      objects: withSecrets(secret('ts-cart-mysql', { CART_MYSQL_HOST: 'db' })),
    })
    expect(found).toMatchObject({ layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('corrects a password that no other has', async () => {
    const found = await only('secrets', {
      objects: withSecrets(secret('ts-cart-mysql', entry('CART', 'right_2024'))),
    })
    expect(found).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('leaves a Secret that is as the others', async () => {
    const objects = withSecrets(secret('ts-cart-mysql', entry('CART')))
    expect(await look({ objects }, {}, 'secrets')).toEqual([])
  })
})

describe('stores', () => {
  const store = (image: string, main: object = {}): ApiObject[] =>
    shop(...deployment('store', { now: template('store', { image, ...main }) }))

  it('grants rights in MySQL again', async () => {
    const found = await only('store-login', {
      objects: store('mysql:5.7'),
      logs: [line('cart', "Access denied for user 'ts'@'%' to database 'ts'")],
    })
    expect(found).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(found.services[0]).toBe('store')
    expect(tasksOf(found)[0]['kubernetes.core.k8s_exec']).toMatchObject({
      pod: 'store-abc',
      container: 'server',
      command: `mysql -uroot -N -e 'GRANT ALL PRIVILEGES ON ts.* TO '"'"'ts'"'"'@'"'"'%'"'"''`,
    })
  })

  it('grants rights in MongoDB to the user who has none, and starts who was turned away', async () => {
    const env = [
      { name: 'MONGO_INITDB_ROOT_USERNAME', value: 'root' },
      { name: 'MONGO_INITDB_ROOT_PASSWORD', value: 'secret' },
    ]
    const found = await only('store-login', {
      objects: store('mongo:4', { env }),
      logs: [line('cart', 'find of store failed: not authorized on cart-db to execute command')],
      answers: {
        getUsers:
          '[ { "user" : "root", "roles" : [ { "role" : "root" } ] }, { "user" : "admin", "roles" : [ ] } ]',
      },
    })
    const [grant, restart] = tasksOf(found)
    expect(grant['kubernetes.core.k8s_exec'].command).toContain(
      `-u root -p secret --authenticationDatabase admin --eval 'db.grantRolesToUser("admin", [{role: "readWrite", db: "cart-db"}])'`,
    )
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('starts who fills a table that is gone', async () => {
    const found = await only('store-emptied', {
      objects: store('mysql:5.7'),
      logs: [line('cart', "Table 'ts.items' doesn't exist")],
    })
    expect(found).toMatchObject({ services: ['store', 'cart'], layer: 'middleware', type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('counts the databases of a MongoDB, which says nothing', async () => {
    const objects = store('mongo:4')
    const full = {
      answers: { listDatabases: '{ "databases" : [ { "name" : "admin" }, { "name" : "cart" } ] }' },
    }
    const empty = { answers: { listDatabases: '{ "databases" : [ { "name" : "admin" } ] }' } }
    expect(await look({ objects, ...full }, {}, 'store-emptied')).toEqual([])
    expect((await only('store-emptied', { objects, ...empty })).services).toEqual(['store', 'cart'])
  })
})

describe('too little CPU', () => {
  const starved = (name: string): ReturnType<typeof usage> =>
    usage(name, { cpuCores: 0.2, throttledShare: 0.95 })

  it('raises the ceiling of an autoscaler', async () => {
    const autoscaler = other('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, minReplicas: 1, maxReplicas: 1 },
      status: { currentReplicas: 1 },
    })
    const found = await only('autoscaler', { objects: shop(autoscaler), usage: [starved('cart')] })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.spec).toEqual({
      minReplicas: 4,
      maxReplicas: 8,
    })
  })

  const crowd = CALM.map((one) => ({ ...one, rate: 25 }))
  const crowded = { objects: shop(), edges: crowd, usage: [starved('frontend'), usage('cart')] }

  it('doubles the CPU of those whom a crowd overruns', async () => {
    const found = await only('traffic-surge', {
      ...crowded,
      answers: { 'frontend-abc': 'node\nnode\nsh\ncat\n' },
    })
    expect(found).toMatchObject({ services: ['frontend'], layer: 'hardware', type: 'capacity-shortage' })
    const [definition] = tasksOf(found)[0]['kubernetes.core.k8s'].definition
    expect(definition.spec.template.spec.containers).toEqual([
      { name: 'server', resources: { limits: { cpu: '400m' } } },
    ])
  })

  it('does not take workers beside the program for a crowd', async () => {
    const answers = { 'frontend-abc': 'node\nnode\nburn\nburn\nburn\nburn\n' }
    expect(await look({ ...crowded, answers }, {}, 'traffic-surge')).toEqual([])
  })

  it('drains a node on which all are starved', async () => {
    const objects = shop(pod('store', { node: 'node-2' }))
    const found = await only('sick-node', {
      objects,
      usage: [starved('frontend'), starved('cart'), usage('store')],
    })
    expect(found).toMatchObject({ layer: 'hardware', type: 'capacity-shortage' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s_drain']).toMatchObject({ name: 'node-1', state: 'drain' })
  })

  it('drains a node to and from which all is slow', async () => {
    const objects = shop(pod('store', { node: 'node-2' }), ...deployment('ads'), pod('ads'))
    const before = [...CALM, edge('ads', 'store')]
    const edges = [slow('frontend', 'cart', 200), slow('cart', 'store', 90), slow('ads', 'store', 160)]
    const found = await only('sick-node', { objects, edges, before })
    expect(found).toMatchObject({ layer: 'hardware', type: 'network-storage-issue' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s_drain'].name).toBe('node-1')
  })
})

describe('sick pods', () => {
  const deletion = (found: Hypothesis): any => tasksOf(found)[0]['kubernetes.core.k8s']

  it.each([
    ['cpu-stress', 'operating-system', 'capacity-shortage', 1],
    ['memory-stress', 'operating-system', 'capacity-shortage', 1],
    ['disk-io', 'hardware', 'network-storage-issue', 1],
    ['network-loss', 'network', 'network-storage-issue', undefined],
    ['network-delay', 'network', 'network-storage-issue', undefined],
    ['pod-fail', 'virtualisation', 'operation-error', 1],
  ] as const)('replaces the pod that a report of %s is about', async (category, layer, type, grace) => {
    const found = await only('sick-pod', { objects: shop() }, { service: 'cart', category })
    expect(found).toMatchObject({ services: ['cart'], layer, type, fix: { replaces: ['Pod-cart-abc'] } })
    expect(deletion(found)).toMatchObject({
      state: 'absent',
      kind: 'Pod',
      name: 'cart-abc',
      namespace: NAMESPACE,
    })
    expect(deletion(found).delete_options?.gracePeriodSeconds).toBe(grace)
  })

  it('replaces the one of several that is starved, or else the one that leads', async () => {
    const two = [pod('cart', { name: 'cart-1' }), pod('cart', { name: 'cart-2', labels: { role: 'leader' } })]
    const hot = usage('cart', { pod: 'cart-1', cpuCores: 0.2, throttledShare: 1 })
    const focus = { service: 'cart', category: 'cpu-stress' } as const
    expect(deletion(await only('sick-pod', { objects: shop(...two), usage: [hot] }, focus)).name).toBe(
      'cart-1',
    )
    expect(deletion(await only('sick-pod', { objects: shop(...two) }, focus)).name).toBe('cart-2')
  })

  it.each([
    ['a pod that does nothing', { objects: shop(pod('cart', { ready: false })) }, 'cart', 'operation-error'],
    [
      'much memory',
      { objects: shop(), usage: [usage('cart', { memoryBytes: 2 ** 28 })] },
      'cart',
      'capacity-shortage',
    ],
    [
      'a slow callee',
      { objects: shop(), edges: [slow('frontend', 'cart', 900), slow('cart', 'store', 880)] },
      'store',
      'network-storage-issue',
    ],
    [
      'a slow link on both sides',
      { objects: shop(), edges: [slow('frontend', 'cart', 2000), slow('cart', 'store', 900)] },
      'cart',
      'network-storage-issue',
    ],
  ])('finds %s by itself', async (_what, parts, culprit, type) => {
    const [first] = await look(parts, {}, 'sick-pod')
    expect(first).toMatchObject({ services: [culprit], type })
  })

  it('blames the caller whom alone a service does not answer', async () => {
    const before = [...CALM, edge('frontend', 'store')]
    const edges = [edge('frontend', 'cart'), edge('frontend', 'store'), failing('cart', 'store')]
    const [first] = await look({ objects: shop(), edges, before }, {}, 'sick-pod')
    expect(first).toMatchObject({ services: ['cart'], layer: 'network' })
  })

  it('takes refusals for age as a sign of a wrong clock', async () => {
    const edges = [edge('frontend', 'cart'), failing('cart', 'store')]
    const logs = [line('store', 'Your card expired on 01/2039')]
    const [first] = await look({ objects: shop(), edges, logs }, {}, 'sick-pod')
    expect(first).toMatchObject({ services: ['store'], layer: 'operating-system', type: 'misconfiguration' })
  })

  it('leaves pods alone that have no place or cannot be started', async () => {
    for (const stuck of [pendingPod('cart', 'no node'), waitingPod('cart', 'CreateContainerConfigError')]) {
      const parts = { objects: shop(stuck), edges: [failing('frontend', 'cart'), edge('cart', 'store')] }
      // Who calls it in vain is named as well, and never so surely that anything would be done to it.
      expect((await look(parts, {}, 'sick-pod')).filter(({ score }) => score >= 0.5)).toEqual([])
      expect(await look(parts, { service: 'cart', category: 'pod-fail' }, 'sick-pod')).toEqual([])
    }
  })

  it('leaves pods of a changed template to the rollout', async () => {
    const now = template('cart', { image: 'cart:2.0.0' })
    const objects = shop(...deployment('cart', { now, previous: template('cart') }))
    expect(await look({ objects }, { service: 'cart', category: 'pod-fail' }, 'sick-pod')).toEqual([])
  })
})
