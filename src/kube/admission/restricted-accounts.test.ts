/** Tests of what accounts that are marked as restricted may not do, and everybody else may. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Taint } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze } from '../../kit/index.ts'
import { RESTRICTED_ACCOUNT } from '../../spec/index.ts'
import {
  namespaces,
  nodes,
  persistentVolumeClaims,
  serviceAccounts,
  services,
  statefulSets,
} from '../kinds/index.ts'
import { ApiError, type Draft } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { createResources } from '../resources/index.ts'
import { admissionPlugins } from './index.ts'

const OWNER = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'x', uid: 'x' }
const EXPELLING = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }

const setUp = () => {
  const random = createRandom('restricted')
  const { client, clientFor } = createResources({
    clock: createVirtualClock(),
    random,
    admission: admissionPlugins(random),
    store: { seal: deepFreeze },
  })
  for (const name of ['default', 'shop']) client.create(namespaces, { metadata: { name } })
  for (const [name, marked] of [
    ['marked', 'true'],
    ['plain', 'false'],
  ] as const)
    client.create(serviceAccounts, {
      metadata: { name, namespace: 'default', annotations: { [RESTRICTED_ACCOUNT]: marked } },
    })
  client.create(nodes, {
    metadata: { name: 'node1' },
    spec: { podCIDR: '10.1.0.0/24', taints: [EXPELLING] },
  })
  client.create(persistentVolumeClaims, {
    metadata: { name: 'data', namespace: 'shop' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  const as = (name: string): Client =>
    clientFor({ username: `system:serviceaccount:default:${name}`, groups: [] }, 'test')
  return { client, marked: as('marked'), plain: as('plain') }
}

const changeNode = (
  client: Client,
  { metadata = {}, spec = {} }: { metadata?: object; spec?: object },
): unknown => {
  const node = client.get(nodes, '', 'node1')!
  return client.update(nodes, {
    ...node,
    metadata: { ...node.metadata, ...metadata },
    spec: { ...node.spec, ...spec },
  })
}

const changeClaim = (client: Client, metadata: object): unknown => {
  const claim = client.get(persistentVolumeClaims, 'shop', 'data')!
  return client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, ...metadata } })
}

const setOf = (
  persistentVolumeClaimRetentionPolicy: NonNullable<
    StatefulSet['spec']
  >['persistentVolumeClaimRetentionPolicy'] = {},
): Draft<StatefulSet> => ({
  metadata: { name: 'db', namespace: 'shop' },
  spec: {
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    persistentVolumeClaimRetentionPolicy,
    template: {
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'c', image: 'i:1' }] },
    },
  },
})

const changeSet = (client: Client, policy: object): unknown => {
  const set = client.get(statefulSets, 'shop', 'db')!
  return client.update(statefulSets, {
    ...set,
    spec: { ...set.spec, replicas: 3, persistentVolumeClaimRetentionPolicy: policy },
  })
}

const makeService = (client: Client, externalIPs?: string[]): unknown =>
  client.create(services, {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ port: 53, protocol: 'UDP' }], ...(externalIPs === undefined ? {} : { externalIPs }) },
  })

const changeService = (client: Client, spec: object): unknown => {
  const service = client.get(services, 'shop', 'web')!
  return client.update(services, { ...service, spec: { ...service.spec, ...spec } })
}

const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return error.message
    throw error
  }
  return 'was not refused'
}

const expel = (key: string, value?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(value === undefined ? {} : { value }),
})

const OF_NODES =
  'nodes "node1" is forbidden: of a node this account may change nothing but unschedulable, taints, labels and annotations'
const OF_TAINTS =
  'nodes "node1" is forbidden: a taint with the effect NoExecute expels the pods of every namespace; cordon or drain the node instead'
const OF_CLAIMS =
  'persistentvolumeclaims "data" is forbidden: this account may not delete claims, nor give them owners that they would go with'
const OF_SERVICES = 'services "web" is forbidden: Use of external IPs is denied by admission control'
const OF_SETS =
  'statefulsets.apps "db" is forbidden: this account may not delete claims, nor have them deleted by persistentVolumeClaimRetentionPolicy'

describe('a restricted account', () => {
  it('cordons, taints, labels and annotates nodes', () => {
    const { marked, client } = setUp()
    changeNode(marked, {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { unschedulable: true, taints: [EXPELLING, { key: 'sick', effect: 'NoSchedule' }] },
    })
    changeNode(marked, { spec: { unschedulable: false, taints: [] } })
    expect(client.get(nodes, '', 'node1')).toMatchObject({
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { unschedulable: false, taints: [] },
    })
  })

  it.each([
    ['a taint of its own', [EXPELLING, expel('x', 'y')]],
    ['the same with another value', [expel(EXPELLING.key, 'y')]],
    ['a harmless one made harmful', [EXPELLING, expel('sick')]],
  ])('expels no pods by %s', (_, taints) => {
    const { marked, plain, client } = setUp()
    changeNode(client, { spec: { taints: [EXPELLING, { key: 'sick', effect: 'NoSchedule' }] } })
    expect(refusal(() => changeNode(marked, { spec: { taints } }))).toBe(OF_TAINTS)
    changeNode(plain, { spec: { taints } })
  })

  it.each([
    ['an owner', { metadata: { ownerReferences: [OWNER] } }],
    ['a finalizer', { metadata: { finalizers: ['a.b/c'] } }],
    ['a provider', { spec: { providerID: 'x://y' } }],
  ])('gives nodes nothing else, such as %s', (_, change) => {
    const { marked, plain } = setUp()
    expect(refusal(() => changeNode(marked, change))).toBe(OF_NODES)
    changeNode(plain, change)
  })

  it('notes something on claims, and gives them no owner', () => {
    const { marked, client } = setUp()
    changeClaim(marked, { annotations: { a: 'b' } })
    expect(refusal(() => changeClaim(marked, { ownerReferences: [OWNER] }))).toBe(OF_CLAIMS)
    changeClaim(client, { ownerReferences: [OWNER] })
    changeClaim(marked, { annotations: {} })
    expect(refusal(() => changeClaim(marked, { ownerReferences: [{ ...OWNER, uid: 'y' }] }))).toBe(OF_CLAIMS)
    changeClaim(marked, { ownerReferences: [] })
  })

  it('makes claims, without an owner', () => {
    const { marked } = setUp()
    const make = (name: string, metadata: object = {}): unknown =>
      marked.create(persistentVolumeClaims, {
        metadata: { name, namespace: 'shop', ...metadata },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      })
    make('more')
    expect(refusal(() => make('other', { ownerReferences: [OWNER] }))).toBe(
      OF_CLAIMS.replace('"data"', '"other"'),
    )
  })

  it.each([{ whenDeleted: 'Delete' }, { whenScaled: 'Delete' }] as const)(
    'lets no claim go by %j',
    (policy) => {
      const { marked, client } = setUp()
      expect(refusal(() => marked.create(statefulSets, setOf(policy)))).toBe(OF_SETS)
      marked.create(statefulSets, setOf())
      changeSet(marked, {})
      expect(refusal(() => changeSet(marked, policy))).toBe(OF_SETS)
      changeSet(client, policy)
      changeSet(marked, policy)
    },
  )

  it('takes no addresses of others for its services, and may leave those that have some', () => {
    const { marked, client, plain } = setUp()
    expect(refusal(() => makeService(marked, ['10.96.0.10']))).toBe(OF_SERVICES)
    makeService(marked)
    expect(refusal(() => changeService(marked, { externalIPs: ['10.96.0.10'] }))).toBe(OF_SERVICES)
    changeService(plain, { externalIPs: ['10.96.0.10', '192.0.2.1'] })
    changeService(marked, { selector: { app: 'web' } })
    expect(refusal(() => changeService(marked, { externalIPs: ['10.96.0.10', '10.96.0.1'] }))).toBe(
      OF_SERVICES,
    )
    changeService(marked, { externalIPs: ['192.0.2.1'] })
    expect(refusal(() => changeService(marked, { externalIPs: ['10.96.0.10'] }))).toBe(OF_SERVICES)
    changeService(marked, { externalIPs: [] })
    expect(client.get(services, 'shop', 'web')!.spec).toMatchObject({ selector: { app: 'web' } })
  })

  it('writes no address into the status of a Service by the way', () => {
    const { marked, client } = setUp()
    const status = { loadBalancer: { ingress: [{ ip: '10.96.0.10' }] } }
    marked.create(services, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { type: 'LoadBalancer', ports: [{ port: 53 }] },
      status,
    })
    marked.update(services, { ...client.get(services, 'shop', 'web')!, status })
    expect(client.get(services, 'shop', 'web')!.status).toEqual({ loadBalancer: {} })
  })
})
