/** Tests that faulty rollouts are reverted, and nothing else. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { NAMESPACE } from '../testing/fake-cluster.ts'
import {
  deployment,
  event,
  failing,
  object,
  pod,
  shop,
  template,
  waitingPod,
} from '../testing/fake-objects.ts'
import { findHypotheses, findOnly, patchOf, tasksOf } from '../testing/find-hypotheses.ts'

describe('the rollout runbook', () => {
  const changed = (main: object, fields: object = {}) =>
    shop(...deployment('cart', { now: template('cart', main, fields), previous: template('cart'), ready: 0 }))

  it('restores limits, and nothing else', async () => {
    const resources = { requests: { cpu: '1m', memory: '64Mi' }, limits: { cpu: '2m', memory: '256Mi' } }
    const hypothesis = await findOnly('rollout', {
      objects: changed({ resources }),
      edges: [failing('frontend', 'cart')],
    })
    expect(hypothesis).toMatchObject({
      services: ['cart'],
      layer: 'virtualisation',
      type: 'misconfiguration',
    })
    expect(patchOf(hypothesis)).toEqual({
      spec: {
        containers: [{ name: 'server', resources: { requests: { cpu: '100m' }, limits: { cpu: '200m' } } }],
      },
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s']).toMatchObject({
      state: 'patched',
      kind: 'Deployment',
      name: 'cart',
      namespace: NAMESPACE,
    })
  })

  it('removes added elements of lists by their merge keys', async () => {
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
    const hypothesis = await findOnly('rollout', { objects: changed(added, { spec }) })
    expect(patchOf(hypothesis).spec).toEqual({
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
    expect(hypothesis).toMatchObject({ layer: 'virtualisation', type: 'dependency-problem' })
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
  ] as const)('classifies %s', async (_description, object, layer, type) => {
    const objects = [...changed({ image: 'cart:2.0.0' }).filter((object) => object.kind !== 'Pod'), object]
    const refused = { ...event('Unhealthy', 'Pod/cart-abc', 'dial tcp: connection refused'), count: 4 }
    const hypothesis = await findOnly('rollout', { objects, events: [refused] })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer, type })
    expect(patchOf(hypothesis)).toEqual({ spec: { containers: [{ name: 'server', image: 'cart:1.0.0' }] } })
  })

  it.each([
    ['JWT_MAX_AGE', 'application', 'authentication-issue'],
    ['MAX_CONNECTIONS', 'middleware', 'capacity-shortage'],
    ['MEMC_TTL', 'middleware', 'misconfiguration'],
    ['STORE_ADDR', 'application', 'misconfiguration'],
  ] as const)('classifies the variable %s', async (name, layer, type) => {
    const hypothesis = await findOnly('rollout', { objects: changed({ env: [{ name, value: '1' }] }) })
    expect(hypothesis).toMatchObject({ layer, type })
  })

  it('classifies bandwidth and name resolution', async () => {
    const annotations = { 'kubernetes.io/egress-bandwidth': '4k' }
    const capped = await findOnly('rollout', {
      objects: changed({}, { metadata: { labels: { app: 'cart' }, annotations } }),
    })
    expect(capped).toMatchObject({ layer: 'network', type: 'misconfiguration' })
    expect(patchOf(capped)).toEqual({
      metadata: { annotations: { 'kubernetes.io/egress-bandwidth': null } },
    })
    const misled = await findOnly('rollout', { objects: changed({}, { spec: { dnsPolicy: 'None' } }) })
    expect(misled).toMatchObject({ layer: 'network', type: 'misconfiguration' })
  })

  it('compares the revisions of a StatefulSet', async () => {
    const owner = { ownerReferences: [{ uid: 'StatefulSet-db' }] }
    const revision = (number: number, revisionTemplate: object): ApiObject =>
      object('apps/v1', 'ControllerRevision', `db-${number}`, {
        metadata: owner,
        revision: number,
        data: { spec: { template: { ...revisionTemplate, $patch: 'replace' } } },
      })
    const small = template('db', { env: [{ name: 'MAX_CONNECTIONS', value: '4' }] })
    const set = object('apps/v1', 'StatefulSet', 'db', { spec: { replicas: 1, template: small }, status: {} })
    const hypothesis = await findOnly('rollout', {
      objects: [...shop(), set, revision(1, template('db')), revision(2, small)],
    })
    expect(hypothesis).toMatchObject({ services: ['db'], layer: 'middleware', type: 'capacity-shortage' })
  })

  it('ignores a revision that was already rolled back', async () => {
    const badTemplate = template('cart', { image: 'cart:2.0.0' })
    const [now, newest, before] = deployment('cart', { now: template('cart'), previous: badTemplate })
    const createdAt = (object: ApiObject, time: string): ApiObject => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: time },
    })
    const sets = [createdAt(newest!, '2026-01-01T00:00:00Z'), createdAt(before!, '2026-01-01T00:05:00Z')]
    expect(await findHypotheses({ objects: shop(now!, ...sets) }, {}, 'rollout')).toEqual([])
  })

  it('restarts services that crash because of a broken store', async () => {
    const image = 'mongo:4'
    const now = template(
      'store',
      { image },
      { spec: { volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }] } },
    )
    const previous = template('store', { image }, { spec: { volumes: [{ name: 'data', emptyDir: {} }] } })
    const objects = shop(...deployment('store', { now, previous }), waitingPod('cart', 'CrashLoopBackOff'))
    const hypothesis = await findOnly('rollout', { objects })
    expect(hypothesis).toMatchObject({ type: 'network-storage-issue', fix: { services: ['store', 'cart'] } })
    expect(tasksOf(hypothesis).map((task) => task['kubernetes.core.k8s'].name)).toEqual(['store', 'cart'])
    expect(patchOf(hypothesis).spec.volumes).toEqual([{ name: 'data', emptyDir: { medium: null } }])
  })

  it('ignores a restart', async () => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' }
    const objects = changed({}, { metadata: { labels: { app: 'cart' }, annotations } })
    expect(await findHypotheses({ objects }, {}, 'rollout')).toEqual([])
  })
})
