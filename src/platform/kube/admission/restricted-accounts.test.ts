/** Tests of the restrictions of annotated service accounts, compared with other accounts. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Taint } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze } from '#kit'
import {
  namespaces,
  nodes,
  persistentVolumeClaims,
  serviceAccounts,
  services,
  statefulSets,
} from '#platform/kube/kinds'
import { ApiError, type Draft } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { RESTRICTED_ACCOUNT } from '#spec'
import { admissionPlugins } from './index.ts'

const OWNER = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'x', uid: 'x' }
const NO_EXECUTE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }

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
    spec: { podCIDR: '10.1.0.0/24', taints: [NO_EXECUTE] },
  })
  client.create(persistentVolumeClaims, {
    metadata: { name: 'data', namespace: 'shop' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  const clientAs = (name: string): Client =>
    clientFor({ username: `system:serviceaccount:default:${name}`, groups: [] }, 'test')
  return { client, marked: clientAs('marked'), plain: clientAs('plain') }
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

const statefulSetDraft = (
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

const changeStatefulSet = (client: Client, policy: object): unknown => {
  const set = client.get(statefulSets, 'shop', 'db')!
  return client.update(statefulSets, {
    ...set,
    spec: { ...set.spec, replicas: 3, persistentVolumeClaimRetentionPolicy: policy },
  })
}

const createService = (client: Client, externalIPs?: string[]): unknown =>
  client.create(services, {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ port: 53, protocol: 'UDP' }], ...(externalIPs === undefined ? {} : { externalIPs }) },
  })

const changeService = (client: Client, spec: object): unknown => {
  const service = client.get(services, 'shop', 'web')!
  return client.update(services, { ...service, spec: { ...service.spec, ...spec } })
}

const rejection = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return error.message
    throw error
  }
  return 'was not rejected'
}

const noExecute = (key: string, value?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(value === undefined ? {} : { value }),
})

const NODE_REJECTED =
  'nodes "node1" is forbidden: this account may change only unschedulable, taints, labels and annotations of a node'
const TAINT_REJECTED =
  'nodes "node1" is forbidden: a taint with the effect NoExecute evicts the pods of every namespace; cordon or drain the node instead'
const CLAIM_REJECTED =
  'persistentvolumeclaims "data" is forbidden: this account may not delete claims, and therefore may not add owner references to them'
const SERVICE_REJECTED = 'services "web" is forbidden: Use of external IPs is denied by admission control'
const SET_REJECTED =
  'statefulsets.apps "db" is forbidden: this account may not delete claims, and therefore may not set persistentVolumeClaimRetentionPolicy to Delete'

describe('a restricted account', () => {
  it('can cordon, taint, label and annotate nodes', () => {
    const { marked, client } = setUp()
    changeNode(marked, {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { unschedulable: true, taints: [NO_EXECUTE, { key: 'sick', effect: 'NoSchedule' }] },
    })
    changeNode(marked, { spec: { unschedulable: false, taints: [] } })
    expect(client.get(nodes, '', 'node1')).toMatchObject({
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { unschedulable: false, taints: [] },
    })
  })

  it.each([
    ['a new taint', [NO_EXECUTE, noExecute('x', 'y')]],
    ['an existing taint with another value', [noExecute(NO_EXECUTE.key, 'y')]],
    ['an existing taint with the effect changed to NoExecute', [NO_EXECUTE, noExecute('sick')]],
  ])('cannot evict pods with %s', (_, taints) => {
    const { marked, plain, client } = setUp()
    changeNode(client, { spec: { taints: [NO_EXECUTE, { key: 'sick', effect: 'NoSchedule' }] } })
    expect(rejection(() => changeNode(marked, { spec: { taints } }))).toBe(TAINT_REJECTED)
    changeNode(plain, { spec: { taints } })
  })

  it.each([
    ['an owner', { metadata: { ownerReferences: [OWNER] } }],
    ['a finalizer', { metadata: { finalizers: ['a.b/c'] } }],
    ['a provider', { spec: { providerID: 'x://y' } }],
  ])('cannot set %s of a node', (_, change) => {
    const { marked, plain } = setUp()
    expect(rejection(() => changeNode(marked, change))).toBe(NODE_REJECTED)
    changeNode(plain, change)
  })

  it('can annotate claims, but cannot add owners', () => {
    const { marked, client } = setUp()
    changeClaim(marked, { annotations: { a: 'b' } })
    expect(rejection(() => changeClaim(marked, { ownerReferences: [OWNER] }))).toBe(CLAIM_REJECTED)
    changeClaim(client, { ownerReferences: [OWNER] })
    changeClaim(marked, { annotations: {} })
    expect(rejection(() => changeClaim(marked, { ownerReferences: [{ ...OWNER, uid: 'y' }] }))).toBe(
      CLAIM_REJECTED,
    )
    changeClaim(marked, { ownerReferences: [] })
  })

  it('can create claims without owners', () => {
    const { marked } = setUp()
    const createClaim = (name: string, metadata: object = {}): unknown =>
      marked.create(persistentVolumeClaims, {
        metadata: { name, namespace: 'shop', ...metadata },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      })
    createClaim('more')
    expect(rejection(() => createClaim('other', { ownerReferences: [OWNER] }))).toBe(
      CLAIM_REJECTED.replace('"data"', '"other"'),
    )
  })

  it.each([{ whenDeleted: 'Delete' }, { whenScaled: 'Delete' }] as const)(
    'cannot have claims deleted with the policy %j',
    (policy) => {
      const { marked, client } = setUp()
      expect(rejection(() => marked.create(statefulSets, statefulSetDraft(policy)))).toBe(SET_REJECTED)
      marked.create(statefulSets, statefulSetDraft())
      changeStatefulSet(marked, {})
      expect(rejection(() => changeStatefulSet(marked, policy))).toBe(SET_REJECTED)
      changeStatefulSet(client, policy)
      changeStatefulSet(marked, policy)
    },
  )

  it('cannot add external IPs to services, but can update services that have some', () => {
    const { marked, client, plain } = setUp()
    expect(rejection(() => createService(marked, ['10.96.0.10']))).toBe(SERVICE_REJECTED)
    createService(marked)
    expect(rejection(() => changeService(marked, { externalIPs: ['10.96.0.10'] }))).toBe(SERVICE_REJECTED)
    changeService(plain, { externalIPs: ['10.96.0.10', '192.0.2.1'] })
    changeService(marked, { selector: { app: 'web' } })
    expect(rejection(() => changeService(marked, { externalIPs: ['10.96.0.10', '10.96.0.1'] }))).toBe(
      SERVICE_REJECTED,
    )
    changeService(marked, { externalIPs: ['192.0.2.1'] })
    expect(rejection(() => changeService(marked, { externalIPs: ['10.96.0.10'] }))).toBe(SERVICE_REJECTED)
    changeService(marked, { externalIPs: [] })
    expect(client.get(services, 'shop', 'web')!.spec).toMatchObject({ selector: { app: 'web' } })
  })

  it('cannot set the status of a Service when creating or updating it', () => {
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
