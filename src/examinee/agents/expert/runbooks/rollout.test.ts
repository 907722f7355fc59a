/** Tests that faulty rollouts are reverted, and nothing else. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { NAMESPACE } from '../testing/fake-cluster.ts'
import {
  deployment,
  event,
  failingEdge,
  pod,
  podTemplate,
  shopObjects,
  toObject,
  waitingPod,
} from '../testing/fake-objects.ts'
import { findHypotheses, findOnlyHypothesis, patchOf, tasksOf } from '../testing/find-hypotheses.ts'

describe('the rollout runbook', () => {
  const shopWithChangedCart = (main: object, fields: object = {}) =>
    shopObjects(
      ...deployment('cart', {
        now: podTemplate('cart', main, fields),
        previous: podTemplate('cart'),
        ready: 0,
      }),
    )

  it('restores requests and limits, and nothing else', async () => {
    const resources = { requests: { cpu: '1m', memory: '64Mi' }, limits: { cpu: '2m', memory: '256Mi' } }
    const hypothesis = await findOnlyHypothesis('rollout', {
      objects: shopWithChangedCart({ resources }),
      edges: [failingEdge('frontend', 'cart')],
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
    const hypothesis = await findOnlyHypothesis('rollout', { objects: shopWithChangedCart(added, { spec }) })
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
    [
      'a release that listens on another port',
      pod('cart', { ready: false }),
      'application',
      'misconfiguration',
    ],
    ['a release that is slow', pod('cart'), 'application', 'code-defect'],
  ] as const)('classifies %s', async (_description, object, layer, type) => {
    const objects = [
      ...shopWithChangedCart({ image: 'cart:2.0.0' }).filter((object) => object.kind !== 'Pod'),
      object,
    ]
    const failedProbe = { ...event('Unhealthy', 'Pod/cart-abc', 'dial tcp: connection refused'), count: 4 }
    const hypothesis = await findOnlyHypothesis('rollout', { objects, events: [failedProbe] })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer, type })
    expect(patchOf(hypothesis)).toEqual({ spec: { containers: [{ name: 'server', image: 'cart:1.0.0' }] } })
  })

  it.each([
    ['JWT_MAX_AGE', 'application', 'authentication-issue'],
    ['MAX_CONNECTIONS', 'middleware', 'capacity-shortage'],
    ['MEMC_TTL', 'middleware', 'misconfiguration'],
    ['STORE_ADDR', 'application', 'misconfiguration'],
  ] as const)('classifies the variable %s', async (name, layer, type) => {
    const hypothesis = await findOnlyHypothesis('rollout', {
      objects: shopWithChangedCart({ env: [{ name, value: '1' }] }),
    })
    expect(hypothesis).toMatchObject({ layer, type })
  })

  it('classifies changes to bandwidth and name resolution', async () => {
    const annotations = { 'kubernetes.io/egress-bandwidth': '4k' }
    const bandwidthHypothesis = await findOnlyHypothesis('rollout', {
      objects: shopWithChangedCart({}, { metadata: { labels: { app: 'cart' }, annotations } }),
    })
    expect(bandwidthHypothesis).toMatchObject({ layer: 'network', type: 'misconfiguration' })
    expect(patchOf(bandwidthHypothesis)).toEqual({
      metadata: { annotations: { 'kubernetes.io/egress-bandwidth': null } },
    })
    const dnsHypothesis = await findOnlyHypothesis('rollout', {
      objects: shopWithChangedCart({}, { spec: { dnsPolicy: 'None' } }),
    })
    expect(dnsHypothesis).toMatchObject({ layer: 'network', type: 'misconfiguration' })
  })

  it('compares the revisions of a StatefulSet', async () => {
    const owner = { ownerReferences: [{ uid: 'StatefulSet-db' }] }
    const toRevision = (number: number, revisionTemplate: object): ApiObject =>
      toObject('apps/v1', 'ControllerRevision', `db-${number}`, {
        metadata: owner,
        revision: number,
        data: { spec: { template: { ...revisionTemplate, $patch: 'replace' } } },
      })
    const small = podTemplate('db', { env: [{ name: 'MAX_CONNECTIONS', value: '4' }] })
    const statefulSet = toObject('apps/v1', 'StatefulSet', 'db', {
      spec: { replicas: 1, template: small },
      status: {},
    })
    const hypothesis = await findOnlyHypothesis('rollout', {
      objects: [...shopObjects(), statefulSet, toRevision(1, podTemplate('db')), toRevision(2, small)],
    })
    expect(hypothesis).toMatchObject({ services: ['db'], layer: 'middleware', type: 'capacity-shortage' })
  })

  it('ignores a revision that was already rolled back', async () => {
    const badTemplate = podTemplate('cart', { image: 'cart:2.0.0' })
    const [now, newest, before] = deployment('cart', { now: podTemplate('cart'), previous: badTemplate })
    const withCreationTime = (object: ApiObject, time: string): ApiObject => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: time },
    })
    const replicaSets = [
      withCreationTime(newest!, '2026-01-01T00:00:00Z'),
      withCreationTime(before!, '2026-01-01T00:05:00Z'),
    ]
    expect(await findHypotheses({ objects: shopObjects(now!, ...replicaSets) }, {}, 'rollout')).toEqual([])
  })

  it('restarts services that crash because of a broken store', async () => {
    const image = 'mongo:4'
    const now = podTemplate(
      'store',
      { image },
      { spec: { volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }] } },
    )
    const previous = podTemplate('store', { image }, { spec: { volumes: [{ name: 'data', emptyDir: {} }] } })
    const objects = shopObjects(
      ...deployment('store', { now, previous }),
      waitingPod('cart', 'CrashLoopBackOff'),
    )
    const hypothesis = await findOnlyHypothesis('rollout', { objects })
    expect(hypothesis).toMatchObject({ type: 'network-storage-issue', fix: { services: ['store', 'cart'] } })
    expect(tasksOf(hypothesis).map((task) => task['kubernetes.core.k8s'].name)).toEqual(['store', 'cart'])
    expect(patchOf(hypothesis).spec.volumes).toEqual([{ name: 'data', emptyDir: { medium: null } }])
  })

  it('ignores a restart', async () => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' }
    const objects = shopWithChangedCart({}, { metadata: { labels: { app: 'cart' }, annotations } })
    expect(await findHypotheses({ objects }, {}, 'rollout')).toEqual([])
  })
})
