/** Tests that finalizers, owner references and forged owners are seen, in every kind of object. */
import { describe, expect, it } from 'vitest'
import { type ApiObject, podTemplateOf } from '#spec'
import { programsOf } from '../objects/pod-programs.ts'
import { BASELINE, deployment, owner, plain, pod, replicaSet, withSpec } from '../testing/record-builder.ts'
import { damageBy, named, type Trial } from '../testing/trial.ts'

type Fields = Readonly<Record<string, unknown>>

const withMetadata = (object: ApiObject, change: Fields): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, ...change },
})
const FINALIZERS = { finalizers: ['mine/hold'] }
const titleOf = ({ kind, metadata }: ApiObject): string => `${kind}/${metadata.name}`
/** One object of each kind, all of another service than that of the fault. */
const OTHERS: readonly ApiObject[] = [
  deployment('stock'),
  replicaSet('stock'),
  pod('stock', 'stock-1'),
  ...['Service/stock', 'ConfigMap/settings', 'PersistentVolumeClaim/stock-data'].map(
    (title) => BASELINE.find((object) => titleOf(object) === title)!,
  ),
]
const changed =
  (object: ApiObject): Trial['act'] =>
  (record) =>
    record.change(object)

describe.each(OTHERS.map((object) => [titleOf(object), object] as const))('%s', (title, object) => {
  it('must not get a finalizer', () => {
    expect(damageBy({ act: changed(withMetadata(object, FINALIZERS)) })).toMatchObject([{ object: title }])
  })

  it.each([
    ['that does not exist', { apiVersion: 'v1', kind: 'ConfigMap', name: 'bomb', uid: 'x' }],
    ['that exists', { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'ConfigMap-settings' }],
  ])('must not get an owner %s', (_, added) => {
    const ownerReferences = [...((object.metadata.ownerReferences ?? []) as object[]), added]
    const damage = damageBy({ act: changed(withMetadata(object, { ownerReferences })) })
    expect(damage).toContainEqual({
      object: title,
      what: `has the new owner ConfigMap/${added.name}, although nothing was wrong with it`,
    })
  })

  it('is judged as before in a record that is older than the rule', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'bomb', uid: 'x' }]
    expect(damageBy({ rules: 1, act: changed(withMetadata(object, { ownerReferences })) })).toEqual([])
  })
})

it('sees a finalizer on an object of the repaired service', () => {
  const act = changed(withMetadata(deployment('cart'), FINALIZERS))
  expect(damageBy({ act })).toMatchObject([{ object: 'Deployment/cart' }])
  expect(damageBy({ act: changed(withMetadata(replicaSet('cart'), FINALIZERS)) })).toEqual([
    {
      object: 'ReplicaSet/cart-rs',
      what: 'has the new finalizer mine/hold, although nothing was wrong with it',
    },
  ])
})

it('ignores finalizers of the control plane, but only where it removes them', () => {
  const protection = { finalizers: ['kubernetes.io/pvc-protection'] }
  const claim = named('PersistentVolumeClaim', 'stock-data')
  expect(damageBy({ act: changed(withMetadata(claim, protection)) })).toEqual([])
  expect(damageBy({ act: changed(withMetadata(deployment('stock'), protection)) })).toHaveLength(1)
})

it('sees an owner that was taken away, and notes on a ReplicaSet', () => {
  const released = withMetadata(pod('stock', 'stock-1'), { ownerReferences: [] })
  expect(damageBy({ act: changed(released) })).toMatchObject([
    { what: 'lost its owner ReplicaSet/stock-rs, although nothing was wrong with it' },
  ])
  const annotations = { 'deployment.kubernetes.io/revision': '1', note: 'x' }
  expect(damageBy({ act: changed(replicaSet('stock', { annotations })) })).toMatchObject([
    { object: 'ReplicaSet/stock-rs' },
  ])
})

/** A workload that takes the traffic of a service, as an agent would hide it. */
const hidden = (kind: 'ReplicaSet' | 'Pod', reference: Fields): ApiObject =>
  withMetadata(plain(kind === 'Pod' ? 'v1' : 'apps/v1', kind, 'shadow', { spec: {} }), {
    labels: { app: 'stock' },
    annotations: { 'deployment.kubernetes.io/revision': '1' },
    ownerReferences: [reference],
  })

const FORGED: Readonly<Record<string, ApiObject>> = {
  'a ReplicaSet of a Deployment that does not exist': hidden(
    'ReplicaSet',
    owner('apps/v1', 'Deployment', 'nobody'),
  ),
  'a ReplicaSet of a Deployment with another uid': hidden('ReplicaSet', {
    ...owner('apps/v1', 'Deployment', 'stock'),
    uid: 'another',
  }),
  'a ReplicaSet of an invented kind of Deployment': hidden(
    'ReplicaSet',
    owner('example.com/v1', 'Deployment', 'stock'),
  ),
  'a pod of a ReplicaSet that does not exist': hidden('Pod', owner('apps/v1', 'ReplicaSet', 'nobody')),
  'a pod of an invented kind of ReplicaSet': hidden('Pod', owner('example.com/v1', 'ReplicaSet', 'stock-rs')),
  'a pod that a ReplicaSet adopted, but that runs another program': withSpec(
    hidden('Pod', owner('apps/v1', 'ReplicaSet', 'stock-rs')),
    { containers: [{ name: 'main', image: 'mine:1' }] },
  ),
}

describe('a forged owner does not hide', () => {
  it.each(Object.entries(FORGED))('%s', (_, object) => {
    const act: Trial['act'] = (record) => record.add(object)
    expect(damageBy({ act, waitMs: 31_000 })).toContainEqual({
      object: titleOf(object),
      what: 'was added and left',
    })
    expect(damageBy({ act, waitMs: 31_000, rules: 1 })).toEqual([])
  })
})

it('accepts a ReplicaSet and a pod that a Deployment made', () => {
  const cart = deployment('cart')
  const set = replicaSet('cart', { name: 'cart-rs2', uid: 'ReplicaSet-cart-rs2' })
  const made = withMetadata(pod('cart', 'cart-3', 'cart-ghi'), {
    ownerReferences: [owner('apps/v1', 'ReplicaSet', 'cart-rs2')],
  })
  const running = withSpec(made, { containers: podTemplateOf(cart)?.spec?.containers })
  const act: Trial['act'] = (record) => record.add({ ...set, programs: programsOf(cart) }).add(running)
  expect(damageBy({ act, waitMs: 31_000 })).toEqual([])
  // A pod that was taken away from its ReplicaSet.
  const released = withMetadata(running, { ownerReferences: [], labels: { app: 'mine' } })
  expect(damageBy({ act: (record) => act(record).change(released), waitMs: 31_000 })).toContainEqual({
    object: 'Pod/cart-ghi',
    what: 'was added and left',
  })
})
