/** Tests of the plugins that default and validate single objects. */
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import {
  configMaps,
  ingressClasses,
  ingresses,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  priorityClasses,
  serviceAccounts,
  storageClasses,
} from '#platform/kube/kinds'
import { ApiError, type Draft } from '#platform/kube/meta'
import { createTestAdmission } from './testing/create-test-admission.ts'

const podDraft = (spec: Partial<PodSpec> = {}, name = 'web'): Draft<Pod> => ({
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
})

const rejection = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('was not rejected')
}

describe('NamespaceLifecycle', () => {
  it('rejects objects in a missing namespace', () => {
    const client = createTestAdmission()
    const error = rejection(() => client.create(configMaps, { metadata: { name: 'x', namespace: 'nons' } }))
    expect(error.toStatus()).toMatchObject({
      message: 'namespaces "nons" not found',
      reason: 'NotFound',
      details: { name: 'nons', kind: 'namespaces' },
      code: 404,
    })
  })

  it('rejects new objects in a terminating namespace', () => {
    const client = createTestAdmission()
    client.create(configMaps, { metadata: { name: 'old', namespace: 'shop' } })
    client.delete(namespaces, '', 'shop')
    const error = rejection(() => client.create(configMaps, { metadata: { name: 'x', namespace: 'shop' } }))
    expect(error.code).toBe(403)
    expect(error.message).toBe(
      'configmaps "x" is forbidden: unable to create new content in namespace shop because it is being terminated',
    )
    expect(error.details?.causes).toEqual([
      {
        reason: 'NamespaceTerminating',
        message: 'namespace shop is being terminated',
        field: 'metadata.namespace',
      },
    ])
    client.delete(configMaps, 'shop', 'old')
  })

  it('rejects the deletion of system namespaces', () => {
    const client = createTestAdmission()
    client.create(namespaces, { metadata: { name: 'default' } })
    expect(rejection(() => client.delete(namespaces, '', 'default')).message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    )
  })
})

describe('ServiceAccount', () => {
  it('mounts the token as a real server does', () => {
    const client = createTestAdmission()
    const { spec } = client.create(pods, podDraft())
    const name = spec.volumes?.[0]?.name
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
    expect(spec.serviceAccountName).toBe('default')
    expect(spec.serviceAccount).toBe('default')
    expect(spec.volumes).toEqual([
      {
        name,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [
                  { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ])
    expect(spec.containers[0]?.volumeMounts).toEqual([
      { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ])
  })

  it('respects automountServiceAccountToken, and adds pull secrets', () => {
    const client = createTestAdmission()
    expect(
      client.create(pods, podDraft({ automountServiceAccountToken: false })).spec.volumes,
    ).toBeUndefined()
    client.create(serviceAccounts, {
      metadata: { name: 'quiet', namespace: 'shop' },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 'registry' }],
    })
    const { spec } = client.create(pods, podDraft({ serviceAccountName: 'quiet' }, 'quiet'))
    expect(spec.volumes).toBeUndefined()
    expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }])
  })

  it('names the prefix in the error for a pod without a name', () => {
    const client = createTestAdmission()
    const draft = {
      ...podDraft({ serviceAccountName: 'x' }),
      metadata: { generateName: 'web-5d-', namespace: 'shop' },
    }
    expect(rejection(() => client.create(pods, draft)).message).toBe(
      'pods "web-5d-" is forbidden: error looking up service account shop/x: serviceaccount "x" not found',
    )
  })
})

describe('Priority', () => {
  it('computes the priority from the class', () => {
    const client = createTestAdmission()
    client.create(priorityClasses, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' })
    const { spec } = client.create(pods, podDraft({ priorityClassName: 'high' }))
    expect(spec).toMatchObject({ priority: 1000, preemptionPolicy: 'Never', priorityClassName: 'high' })
    const plain = client.create(pods, podDraft({}, 'plain')).spec
    expect(plain).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
    expect(plain.priorityClassName).toBeUndefined()
  })

  it('rejects missing classes, and priorities that differ from that of the class', () => {
    const client = createTestAdmission()
    expect(rejection(() => client.create(pods, podDraft({ priorityClassName: 'x' }))).message).toBe(
      'pods "web" is forbidden: no PriorityClass with name x was found',
    )
    expect(rejection(() => client.create(pods, podDraft({ priority: 7 }))).message).toBe(
      'pods "web" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    )
  })

  it('applies the default class, and rejects a second one', () => {
    const client = createTestAdmission()
    client.create(priorityClasses, { metadata: { name: 'usual' }, value: 5, globalDefault: true })
    expect(client.create(pods, podDraft()).spec).toMatchObject({ priority: 5, priorityClassName: 'usual' })
    const second = { metadata: { name: 'other' }, value: 6, globalDefault: true }
    expect(rejection(() => client.create(priorityClasses, second)).message).toBe(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    )
  })
})

describe('defaults', () => {
  it('add tolerations of five minutes, unless the pod has its own', () => {
    const client = createTestAdmission()
    const seconds = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }
    expect(client.create(pods, podDraft()).spec.tolerations).toEqual([
      { key: 'node.kubernetes.io/not-ready', ...seconds },
      { key: 'node.kubernetes.io/unreachable', ...seconds },
    ])
    const tolerations = [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' as const }]
    expect(client.create(pods, podDraft({ tolerations: tolerations }, 'own')).spec.tolerations).toEqual([
      ...tolerations,
      { key: 'node.kubernetes.io/unreachable', ...seconds },
    ])
  })

  it('taint new nodes', () => {
    const client = createTestAdmission()
    expect(client.create(nodes, { metadata: { name: 'n' } }).spec.taints).toEqual([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ])
  })

  it('set the storage class and the finalizers of claims and volumes', () => {
    const client = createTestAdmission()
    client.create(storageClasses, {
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/disk',
    })
    const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } }
    const claim = client.create(persistentVolumeClaims, { metadata: { name: 'a', namespace: 'shop' }, spec })
    expect(claim.spec.storageClassName).toBe('standard')
    expect(claim.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
    const withoutClass = { ...spec, storageClassName: '' }
    expect(
      client.create(persistentVolumeClaims, {
        metadata: { name: 'b', namespace: 'shop' },
        spec: withoutClass,
      }).spec.storageClassName,
    ).toBe('')
    const volume = client.create(persistentVolumes, {
      metadata: { name: 'v' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
    })
    expect(volume.metadata.finalizers).toEqual(['kubernetes.io/pv-protection'])
  })
})

describe('DefaultIngressClass', () => {
  const spec = { defaultBackend: { service: { name: 'web', port: { number: 80 } } } }
  const defaultAnnotation = { 'ingressclass.kubernetes.io/is-default-class': 'true' }

  it('sets the default class, unless the field or the annotation names one', () => {
    const client = createTestAdmission()
    const createIngress = (name: string, annotations = {}, specFields = {}): string | undefined =>
      client.create(ingresses, {
        metadata: { name, namespace: 'shop', annotations },
        spec: { ...spec, ...specFields },
      }).spec.ingressClassName
    expect(createIngress('early')).toBeUndefined()
    client.create(ingressClasses, { metadata: { name: 'plain' }, spec: { controller: 'example.com/a' } })
    for (const name of ['second', 'first'])
      client.create(ingressClasses, {
        metadata: { name, annotations: defaultAnnotation },
        spec: { controller: 'example.com/a' },
      })
    expect(createIngress('implicit')).toBe('first')
    expect(createIngress('explicit', {}, { ingressClassName: 'plain' })).toBe('plain')
    expect(createIngress('old', { 'kubernetes.io/ingress.class': 'plain' })).toBeUndefined()
  })
})

describe('PersistentVolumeClaimResize', () => {
  it('allows the expansion of a bound claim only if its class allows it', () => {
    const client = createTestAdmission()
    client.create(storageClasses, { metadata: { name: 'fixed' }, provisioner: 'example.com/disk' })
    const claim = client.create(persistentVolumeClaims, {
      metadata: { name: 'a', namespace: 'shop' },
      spec: {
        storageClassName: 'fixed',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
      },
    })
    const bound = client.updateStatus(persistentVolumeClaims, { ...claim, status: { phase: 'Bound' } })
    const expanded = { ...bound, spec: { ...bound.spec, resources: { requests: { storage: '2Gi' } } } }
    expect(rejection(() => client.update(persistentVolumeClaims, expanded)).message).toBe(
      'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    )
    const storageClass = client.get(storageClasses, '', 'fixed')!
    client.update(storageClasses, { ...storageClass, allowVolumeExpansion: true })
    expect(client.update(persistentVolumeClaims, expanded).spec.resources?.requests?.storage).toBe('2Gi')
  })
})
