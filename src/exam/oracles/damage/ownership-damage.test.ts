/** Tests that finalizers, owner references and forged owners are found on every kind of object. */
import { describe, expect, it } from 'vitest'
import { programsOf } from '#exam/effects'
import { type ApiObject, podTemplateOf } from '#spec'
import { BASELINE, deployment, owner, plain, pod, replicaSet, withSpec } from '../testing/record-builder.ts'
import { baselineObject, damageBy, type Trial } from '../testing/trial.ts'

type Fields = Readonly<Record<string, unknown>>

const withMetadata = (object: ApiObject, change: Fields): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, ...change },
})
const FINALIZERS = { finalizers: ['mine/hold'] }
const titleOf = ({ kind, metadata }: ApiObject): string => `${kind}/${metadata.name}`
/** One object of each kind, none of which belongs to the service of the fault. */
const OTHERS: readonly ApiObject[] = [
  deployment('stock'),
  replicaSet('stock'),
  pod('stock', 'stock-1'),
  ...['Service/stock', 'ConfigMap/settings', 'PersistentVolumeClaim/stock-data'].map(
    (title) => BASELINE.find((object) => titleOf(object) === title)!,
  ),
]
const changeTo =
  (object: ApiObject): Trial['act'] =>
  (record) =>
    record.change(object)

describe.each(OTHERS.map((object) => [titleOf(object), object] as const))('%s', (title, object) => {
  it('must not get a finalizer', () => {
    expect(damageBy({ act: changeTo(withMetadata(object, FINALIZERS)) })).toMatchObject([{ object: title }])
  })

  it.each([
    ['that does not exist', { apiVersion: 'v1', kind: 'ConfigMap', name: 'bomb', uid: 'x' }],
    ['that exists', { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'ConfigMap-settings' }],
  ])('must not get an owner %s', (_, added) => {
    const ownerReferences = [...((object.metadata.ownerReferences ?? []) as object[]), added]
    const damage = damageBy({ act: changeTo(withMetadata(object, { ownerReferences })) })
    expect(damage).toContainEqual({
      object: title,
      what: `has the new owner ConfigMap/${added.name}, although nothing was wrong with it`,
    })
  })

  it('has no damage in records from before the rule', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'bomb', uid: 'x' }]
    expect(damageBy({ rules: 1, act: changeTo(withMetadata(object, { ownerReferences })) })).toEqual([])
  })
})

it('finds a finalizer on an object of the repaired service', () => {
  const act = changeTo(withMetadata(deployment('cart'), FINALIZERS))
  expect(damageBy({ act })).toMatchObject([{ object: 'Deployment/cart' }])
  expect(damageBy({ act: changeTo(withMetadata(replicaSet('cart'), FINALIZERS)) })).toEqual([
    {
      object: 'ReplicaSet/cart-rs',
      what: 'has the new finalizer mine/hold, although nothing was wrong with it',
    },
  ])
})

it('ignores finalizers of the control plane only on kinds from which it removes them', () => {
  const protection = { finalizers: ['kubernetes.io/pvc-protection'] }
  const claim = baselineObject('PersistentVolumeClaim', 'stock-data')
  expect(damageBy({ act: changeTo(withMetadata(claim, protection)) })).toEqual([])
  expect(damageBy({ act: changeTo(withMetadata(deployment('stock'), protection)) })).toHaveLength(1)
})

describe('a finalizer with a name of the control plane', () => {
  const service = baselineObject('Service', 'stock')
  const stock = pod('stock', 'stock-1')
  const JOB_TRACKING = 'batch.kubernetes.io/job-tracking'
  const LOAD_BALANCER = 'service.kubernetes.io/load-balancer-cleanup'

  it.each<[string, ApiObject, string]>([
    ['a Service', service, LOAD_BALANCER],
    ['a pod of a ReplicaSet', stock, JOB_TRACKING],
    ['a pod of the repaired service', pod('cart', 'cart-2', 'cart-def'), JOB_TRACKING],
  ])('is damage on %s, because nothing removes it', (_, object, name) => {
    const trial: Trial = { act: changeTo(withMetadata(object, { finalizers: [name] })) }
    expect(damageBy(trial)).toEqual([
      {
        object: titleOf(object),
        what: `has the new finalizer ${name}, although nothing was wrong with it`,
      },
    ])
    expect(damageBy({ ...trial, rules: 5 })).toEqual([])
  })

  it('is no damage if the object had it before the solver', () => {
    const held = withMetadata(service, { finalizers: [LOAD_BALANCER] })
    expect(damageBy({ injected: [held], act: changeTo(held) })).toEqual([])
  })

  it('is no damage on a pod that a Job controls, but on one that only names a Job', () => {
    const tracked = withMetadata(podOfJob({}), { finalizers: [JOB_TRACKING] })
    const act: Trial['act'] = (record) => record.add(tracked)
    expect(damageBy({ injected: [job({})], act, waitMs: 31_000 })).toEqual([])
    expect(damageBy({ act, waitMs: 31_000 })).not.toEqual([])
  })
})

it('finds a removed owner, and annotations on a ReplicaSet', () => {
  const detachedPod = withMetadata(pod('stock', 'stock-1'), { ownerReferences: [] })
  expect(damageBy({ act: changeTo(detachedPod) })).toMatchObject([
    { what: 'lost its owner ReplicaSet/stock-rs, although nothing was wrong with it' },
  ])
  const annotations = { 'deployment.kubernetes.io/revision': '1', note: 'x' }
  expect(damageBy({ act: changeTo(replicaSet('stock', { annotations })) })).toMatchObject([
    { object: 'ReplicaSet/stock-rs' },
  ])
})

/** A workload that receives traffic of a service, hidden behind an owner reference. */
const hiddenWorkload = (kind: 'ReplicaSet' | 'Pod', reference: Fields): ApiObject =>
  withMetadata(plain(kind === 'Pod' ? 'v1' : 'apps/v1', kind, 'shadow', { spec: {} }), {
    labels: { app: 'stock' },
    annotations: { 'deployment.kubernetes.io/revision': '1' },
    ownerReferences: [reference],
  })

const FORGED: Readonly<Record<string, ApiObject>> = {
  'a ReplicaSet of a Deployment that does not exist': hiddenWorkload(
    'ReplicaSet',
    owner('apps/v1', 'Deployment', 'nobody'),
  ),
  'a ReplicaSet of a Deployment with another uid': hiddenWorkload('ReplicaSet', {
    ...owner('apps/v1', 'Deployment', 'stock'),
    uid: 'another',
  }),
  'a ReplicaSet of an invented kind of Deployment': hiddenWorkload(
    'ReplicaSet',
    owner('example.com/v1', 'Deployment', 'stock'),
  ),
  'a pod of a ReplicaSet that does not exist': hiddenWorkload(
    'Pod',
    owner('apps/v1', 'ReplicaSet', 'nobody'),
  ),
  'a pod of an invented kind of ReplicaSet': hiddenWorkload(
    'Pod',
    owner('example.com/v1', 'ReplicaSet', 'stock-rs'),
  ),
  'a pod that a ReplicaSet adopted, but that runs another program': withSpec(
    hiddenWorkload('Pod', owner('apps/v1', 'ReplicaSet', 'stock-rs')),
    { containers: [{ name: 'main', image: 'mine:1' }] },
  ),
}

const job = (status: Fields): ApiObject =>
  plain('batch/v1', 'Job', 'backup', {
    spec: { template: { spec: { containers: [{ name: 'main', image: 'backup:1' }] } } },
    status,
  })
const ENDED = { conditions: [{ type: 'Complete', status: 'True' }] }
const podOfJob = (spec: Fields): ApiObject =>
  withSpec(hiddenWorkload('Pod', owner('batch/v1', 'Job', 'backup')), {
    containers: [{ name: 'main', image: 'backup:1' }],
    ...spec,
  })

/** Owners that exist, but did not create the pod. Version 2 of the rules does not detect them. */
const ADOPTED: Readonly<Record<string, readonly [owner: ApiObject, pod: ApiObject]>> = {
  'a pod of a Job that has ended': [job(ENDED), podOfJob({})],
  'a pod of a Job that runs another program': [
    job({}),
    podOfJob({ containers: [{ name: 'main', image: 'mine:1' }] }),
  ],
  'a pod of a ReplicationController that runs another program': [
    plain('v1', 'ReplicationController', 'old', { spec: { template: { spec: { containers: [] } } } }),
    withSpec(hiddenWorkload('Pod', owner('v1', 'ReplicationController', 'old')), {
      containers: [{ name: 'main', image: 'mine:1' }],
    }),
  ],
  ...Object.fromEntries(
    [
      { envFrom: [{ configMapRef: { name: 'mine' } }] },
      { volumeMounts: [{ name: 'mine', mountPath: '/app' }] },
      { lifecycle: { postStart: { exec: { command: ['mine'] } } } },
      { workingDir: '/mine' },
    ].map((change) => [
      `a pod of a Job that has another ${Object.keys(change)[0]}`,
      [job({}), podOfJob({ containers: [{ name: 'main', image: 'backup:1', ...change }] })],
    ]),
  ),
  'a pod of a Job that has another volume': [
    job({}),
    podOfJob({ volumes: [{ name: 'mine', configMap: { name: 'mine' } }] }),
  ],
}

describe('a forged owner does not hide', () => {
  it.each(Object.entries(FORGED))('%s', (_, object) => {
    const act: Trial['act'] = (record) => record.add(object)
    expect(damageBy({ act, waitMs: 31_000 })).toContainEqual({
      object: titleOf(object),
      what: 'was added and not removed',
    })
    expect(damageBy({ act, waitMs: 31_000, rules: 1 })).toEqual([])
  })
})

describe('an owner that did not create the pod does not hide', () => {
  it.each(Object.entries(ADOPTED))('%s', (_, [reference, object]) => {
    const trial: Trial = { injected: [reference], act: (record) => record.add(object), waitMs: 31_000 }
    expect(damageBy(trial)).toContainEqual({ object: titleOf(object), what: 'was added and not removed' })
    expect(damageBy({ ...trial, rules: 2 })).toEqual([])
  })

  it('a pod that was assigned to a Job and replaced', () => {
    const stock = pod('stock', 'stock-1')
    const assignedPod = withMetadata(stock, {
      ownerReferences: [...(stock.metadata.ownerReferences as object[]), owner('batch/v1', 'Job', 'backup')],
    })
    const trial: Trial = {
      injected: [job({})],
      act: (record) =>
        record
          .change(assignedPod)
          .remove(assignedPod)
          .add(pod('stock', 'stock-2', 'stock-def')),
    }
    expect(damageBy(trial)).toContainEqual({
      object: 'Pod/stock-abc',
      what: 'was replaced, although nothing was wrong with it',
    })
    expect(damageBy({ ...trial, rules: 2 })).toEqual([])
  })
})

it('reports a pod assigned to a Job, but not a ReplicaSet that a recreated Deployment adopted', () => {
  const assignedPod = withMetadata(pod('stock', 'stock-1'), {
    ownerReferences: [owner('batch/v1', 'Job', 'backup')],
  })
  expect(damageBy({ injected: [job({})], act: changeTo(assignedPod) })).toContainEqual({
    object: 'Pod/stock-abc',
    what: 'has the new owner Job/backup, although nothing was wrong with it',
  })
  const recreated = withMetadata(deployment('cart', { image: 'shop/cart:1.4', command: ['run'] }), {
    uid: 'new',
  })
  const adopted = replicaSet('cart', {
    ownerReferences: [{ ...owner('apps/v1', 'Deployment', 'cart'), uid: 'new' }],
  })
  const damage = damageBy({
    act: (record) => record.remove(deployment('cart')).add(recreated).change(adopted),
  })
  expect(damage.filter(({ object }) => object.startsWith('ReplicaSet'))).toEqual([])
})

it('accepts pods with fields that the API server and controllers add', () => {
  const token = { name: 'kube-api-access-x', projected: { sources: [] } }
  const mount = { name: token.name, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }
  const index = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
  }
  const podOfIndexedJob = podOfJob({
    containers: [{ name: 'main', image: 'backup:1', volumeMounts: [mount], env: [index] }],
    volumes: [token],
  })
  const statefulSet = plain('apps/v1', 'StatefulSet', 'store', {
    spec: {
      replicas: 1,
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      template: {
        spec: {
          containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
          volumes: [{ name: 'conf', configMap: { name: 'settings' } }],
        },
      },
    },
    status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
  })
  const podOfStatefulSet = withMetadata(
    plain('v1', 'Pod', 'store-0', {
      spec: {
        containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }, mount] }],
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'data-store-0' } },
          { name: 'conf', configMap: { name: 'settings' } },
          token,
        ],
      },
    }),
    { ownerReferences: [owner('apps/v1', 'StatefulSet', 'store')] },
  )
  const act: Trial['act'] = (record) => record.add(podOfIndexedJob).add(podOfStatefulSet)
  expect(damageBy({ injected: [job({}), statefulSet], act, waitMs: 31_000 })).toEqual([])
})

it('accepts a ReplicaSet and a pod that a Deployment created', () => {
  const cart = deployment('cart')
  const set = replicaSet('cart', { name: 'cart-rs2', uid: 'ReplicaSet-cart-rs2' })
  const createdPod = withMetadata(pod('cart', 'cart-3', 'cart-ghi'), {
    ownerReferences: [owner('apps/v1', 'ReplicaSet', 'cart-rs2')],
  })
  const runningPod = withSpec(createdPod, { containers: podTemplateOf(cart)?.spec?.containers })
  const act: Trial['act'] = (record) => record.add({ ...set, programs: programsOf(cart) }).add(runningPod)
  expect(damageBy({ act, waitMs: 31_000 })).toEqual([])
  // A pod that was detached from its ReplicaSet.
  const detachedPod = withMetadata(runningPod, { ownerReferences: [], labels: { app: 'mine' } })
  expect(damageBy({ act: (record) => act(record).change(detachedPod), waitMs: 31_000 })).toContainEqual({
    object: 'Pod/cart-ghi',
    what: 'was added and not removed',
  })
})
