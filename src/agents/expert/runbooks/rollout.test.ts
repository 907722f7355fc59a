/** Rollouts that broke something are taken back, and nothing else is. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../spec/index.ts'
import { NAMESPACE } from '../testing/fake-cluster.ts'
import {
  deployment,
  event,
  failing,
  other,
  pod,
  shop,
  template,
  waitingPod,
} from '../testing/fake-objects.ts'
import { look, only, patchOf, tasksOf } from '../testing/look.ts'

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
      state: 'patched',
      kind: 'Deployment',
      name: 'cart',
      namespace: NAMESPACE,
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
          name: 'server',
          livenessProbe: null,
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
        metadata: owner,
        revision: number,
        data: { spec: { template: { ...of, $patch: 'replace' } } },
      })
    const small = template('db', { env: [{ name: 'MAX_CONNECTIONS', value: '4' }] })
    const set = other('apps/v1', 'StatefulSet', 'db', { spec: { replicas: 1, template: small }, status: {} })
    const found = await only('rollout', {
      objects: [...shop(), set, revision(1, template('db')), revision(2, small)],
    })
    expect(found).toMatchObject({ services: ['db'], layer: 'middleware', type: 'capacity-shortage' })
  })

  it('does not go forward again to what somebody has gone back from', async () => {
    const bad = template('cart', { image: 'cart:2.0.0' })
    const [now, newest, before] = deployment('cart', { now: template('cart'), previous: bad })
    const made = (object: ApiObject, time: string): ApiObject => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: time },
    })
    const sets = [made(newest!, '2026-01-01T00:00:00Z'), made(before!, '2026-01-01T00:05:00Z')]
    expect(await look({ objects: shop(now!, ...sets) }, {}, 'rollout')).toEqual([])
  })

  it('starts those again who crash for want of a store that was broken', async () => {
    const image = 'mongo:4'
    const now = template(
      'store',
      { image },
      { spec: { volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }] } },
    )
    const previous = template('store', { image }, { spec: { volumes: [{ name: 'data', emptyDir: {} }] } })
    const objects = shop(...deployment('store', { now, previous }), waitingPod('cart', 'CrashLoopBackOff'))
    const found = await only('rollout', { objects })
    expect(found).toMatchObject({ type: 'network-storage-issue', fix: { services: ['store', 'cart'] } })
    expect(tasksOf(found).map((task) => task['kubernetes.core.k8s'].name)).toEqual(['store', 'cart'])
    expect(patchOf(found).spec.volumes).toEqual([{ name: 'data', emptyDir: { medium: null } }])
  })

  it('does not blame a mere restart', async () => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' }
    const objects = changed({}, { metadata: { labels: { app: 'cart' }, annotations } })
    expect(await look({ objects }, {}, 'rollout')).toEqual([])
  })
})
