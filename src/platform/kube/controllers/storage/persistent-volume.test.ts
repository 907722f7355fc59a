/** Tests of the volume controllers: binding, provisioning, reclaiming and protection. */
import type { PersistentVolumeClaimSpec, PersistentVolumeSpec } from 'kubernetes-types/core/v1.d.ts'
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { nodes, persistentVolumeClaims, persistentVolumes, pods, storageClasses } from '#platform/kube/kinds'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { createPersistentVolumeController, type PersistentVolumeOptions } from './persistent-volume.ts'
import { volumeProtectionControllers } from './volume-protection.ts'

const start = (options: PersistentVolumeOptions = {}): TestCluster =>
  createTestCluster([createPersistentVolumeController(options), ...volumeProtectionControllers])

const addVolume = ({ client }: TestCluster, name: string, spec: Partial<PersistentVolumeSpec> = {}): void => {
  client.create(persistentVolumes, {
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: `/data/${name}` },
      ...spec,
    },
  })
}

const addClaim = ({ client, clock }: TestCluster, spec: Partial<PersistentVolumeClaimSpec> = {}): void => {
  client.create(persistentVolumeClaims, {
    metadata: { name: 'pvc', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  })
  clock.advance(100)
}

const addClass = ({ client }: TestCluster, options: Partial<Omit<StorageClass, 'metadata'>> = {}): void => {
  client.create(storageClasses, {
    metadata: { name: 'directory' },
    provisioner: 'remedium.io/directory',
    ...options,
  })
}

const claim = ({ client }: TestCluster) => client.get(persistentVolumeClaims, 'default', 'pvc')!
const phaseOf = ({ client }: TestCluster, volume: string): string | undefined =>
  client.get(persistentVolumes, '', volume)?.status.phase

describe('binding', () => {
  it('uses the smallest volume that fits, and updates both objects', () => {
    const cluster = start()
    addVolume(cluster, 'large', { capacity: { storage: '10Gi' } })
    addVolume(cluster, 'small', { capacity: { storage: '2Gi' } })
    addVolume(cluster, 'tiny', { capacity: { storage: '1Mi' } })
    addVolume(cluster, 'classy', { storageClassName: 'other' })
    addVolume(cluster, 'shared', { accessModes: ['ReadOnlyMany'] })
    cluster.clock.advance(100)
    expect(phaseOf(cluster, 'small')).toBe('Available')
    addClaim(cluster)
    expect(claim(cluster)).toMatchObject({
      metadata: {
        annotations: {
          'pv.kubernetes.io/bind-completed': 'yes',
          'pv.kubernetes.io/bound-by-controller': 'yes',
        },
      },
      spec: { volumeName: 'small' },
      status: { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'] },
    })
    expect(cluster.client.get(persistentVolumes, '', 'small')).toMatchObject({
      spec: { claimRef: { namespace: 'default', name: 'pvc', uid: claim(cluster).metadata.uid } },
      status: { phase: 'Bound' },
    })
    expect(phaseOf(cluster, 'large')).toBe('Available')
    expect(cluster.errors).toEqual([])
  })

  it('waits for a volume and records an event', () => {
    const cluster = start()
    addClaim(cluster)
    expect(claim(cluster).status.phase).toBe('Pending')
    expect(cluster.eventsOf('pvc')).toEqual([
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ])
    addVolume(cluster, 'late')
    cluster.clock.advance(100)
    expect(claim(cluster).status.phase).toBe('Bound')
  })

  it('respects named volumes and reservations', () => {
    const cluster = start()
    addVolume(cluster, 'reserved', { claimRef: { namespace: 'default', name: 'other' } })
    addVolume(cluster, 'wrong', { capacity: { storage: '1Mi' } })
    cluster.clock.advance(100)
    addClaim(cluster, { volumeName: 'wrong' })
    expect(cluster.eventsOf('pvc')).toEqual([
      'VolumeMismatch: Cannot bind to requested volume "wrong": requested PV is too small',
    ])
    cluster.client.create(persistentVolumeClaims, {
      metadata: { name: 'other', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    cluster.clock.advance(100)
    expect(phaseOf(cluster, 'reserved')).toBe('Bound')
  })

  it('marks the claim as Lost when the volume is deleted', () => {
    const cluster = start()
    addVolume(cluster, 'v')
    addClaim(cluster)
    cluster.client.delete(persistentVolumes, '', 'v')
    cluster.clock.advance(100)
    const held = cluster.client.get(persistentVolumes, '', 'v')!
    expect(held.metadata.finalizers).toEqual(['kubernetes.io/pv-protection'])
    cluster.client.update(persistentVolumes, { ...held, metadata: { ...held.metadata, finalizers: [] } })
    cluster.clock.advance(100)
    expect(claim(cluster).status.phase).toBe('Lost')
    expect(cluster.eventsOf('pvc')).toEqual([
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ])
  })
})

describe('provisioning', () => {
  it('creates a volume immediately', () => {
    const cluster = start()
    addClass(cluster)
    addClaim(cluster, { storageClassName: 'directory' })
    const name = `pvc-${claim(cluster).metadata.uid}`
    expect(claim(cluster)).toMatchObject({ spec: { volumeName: name }, status: { phase: 'Bound' } })
    expect(cluster.client.get(persistentVolumes, '', name)).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/provisioned-by': 'remedium.io/directory' },
        finalizers: ['kubernetes.io/pv-protection'],
      },
      spec: {
        capacity: { storage: '1Gi' },
        hostPath: { path: `/var/lib/remedium/volumes/${name}` },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'directory',
      },
      status: { phase: 'Bound' },
    })
    expect(cluster.eventsOf('pvc')).toEqual([
      'Provisioning: External provisioner is provisioning volume for claim "default/pvc"',
      `ProvisioningSucceeded: Successfully provisioned volume ${name}`,
    ])
  })

  it('waits for the node of the first consumer if the class requires it', () => {
    const cluster = start()
    cluster.client.create(nodes, {
      metadata: { name: 'node1', labels: { 'kubernetes.io/hostname': 'host1' } },
    })
    addClass(cluster, { volumeBindingMode: 'WaitForFirstConsumer' })
    addClaim(cluster, { storageClassName: 'directory' })
    expect(claim(cluster).status.phase).toBe('Pending')
    expect(cluster.eventsOf('pvc')).toEqual([
      'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ])
    const annotations = { 'volume.kubernetes.io/selected-node': 'node1' }
    const waiting = claim(cluster)
    cluster.client.update(persistentVolumeClaims, {
      ...waiting,
      metadata: { ...waiting.metadata, annotations: { ...waiting.metadata.annotations, ...annotations } },
    })
    cluster.clock.advance(100)
    expect(claim(cluster).status.phase).toBe('Bound')
    const volume = cluster.client.get(persistentVolumes, '', claim(cluster).spec.volumeName!)!
    expect(volume.spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['host1'] }] },
    ])
  })

  it('reports missing classes and waits for external provisioners', () => {
    const cluster = start()
    addClaim(cluster, { storageClassName: 'directory' })
    expect(cluster.eventsOf('pvc')).toEqual([
      'ProvisioningFailed: storageclass.storage.k8s.io "directory" not found',
    ])
    addClass(cluster, { provisioner: 'example.com/disk' })
    cluster.clock.advance(100)
    expect(cluster.eventsOf('pvc').at(-1)).toMatch(
      /^ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com\/disk'/,
    )
  })
})

describe('the data of a volume', () => {
  const provisionAndDeleteClaim = (policy: 'Delete' | 'Retain', removeDirectory: (path: string) => void) => {
    const cluster = start({ directory: '/volumes', removeDirectory })
    addClass(cluster, { reclaimPolicy: policy })
    addClaim(cluster, { storageClassName: 'directory' })
    const name = `pvc-${claim(cluster).metadata.uid}`
    cluster.client.delete(persistentVolumeClaims, 'default', 'pvc')
    cluster.clock.advance(100)
    return { cluster, name }
  }

  it('is deleted with the volume', () => {
    const removed = new Set<string>()
    const { cluster, name } = provisionAndDeleteClaim('Delete', (path) => removed.add(path))
    expect(phaseOf(cluster, name)).toBeUndefined()
    expect([...removed]).toEqual([`/volumes/${name}`])
  })

  it('is kept if the reclaim policy is Retain', () => {
    const removed = new Set<string>()
    const { cluster, name } = provisionAndDeleteClaim('Retain', (path) => removed.add(path))
    expect(phaseOf(cluster, name)).toBe('Released')
    expect([...removed]).toEqual([])
  })

  it('is kept if the volume has the provisioner annotation but lies outside its directory', () => {
    const removed = new Set<string>()
    const cluster = start({ directory: '/volumes', removeDirectory: (path) => removed.add(path) })
    const annotations = { 'pv.kubernetes.io/provisioned-by': 'remedium.io/directory' }
    const gone = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'gone', uid: 'gone' }
    for (const path of ['/', '/volumes', '/volumes/', '/volumes/.', '/elsewhere'])
      cluster.client.create(persistentVolumes, {
        metadata: { name: `v${path.replaceAll(/\W/g, 'x')}`, annotations },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Delete',
          hostPath: { path },
          claimRef: gone,
        },
      })
    cluster.clock.advance(100)
    expect([...removed]).toEqual([])
    expect(cluster.client.list(persistentVolumes)).toEqual([])
  })

  it('is kept together with the volume if it cannot be deleted', () => {
    const { cluster, name } = provisionAndDeleteClaim('Delete', () => {
      throw new Error('device is busy')
    })
    expect(cluster.client.get(persistentVolumes, '', name)?.status).toMatchObject({
      phase: 'Failed',
      message: 'device is busy',
    })
  })
})

describe('the deletion of a claim', () => {
  const deleteClaim = (cluster: TestCluster): void => {
    cluster.client.delete(persistentVolumeClaims, 'default', 'pvc')
    cluster.clock.advance(100)
  }

  it('deletes a provisioned volume', () => {
    const cluster = start()
    addClass(cluster)
    addClaim(cluster, { storageClassName: 'directory' })
    deleteClaim(cluster)
    expect(cluster.client.list(persistentVolumes)).toEqual([])
    expect(cluster.errors).toEqual([])
  })

  it('releases a retained volume', () => {
    const cluster = start()
    addVolume(cluster, 'v')
    addClaim(cluster)
    deleteClaim(cluster)
    expect(phaseOf(cluster, 'v')).toBe('Released')
    addClaim(cluster)
    expect(claim(cluster).status.phase).toBe('Pending')
  })

  it('marks a volume that has no deleter as Failed', () => {
    const cluster = start()
    addVolume(cluster, 'v', { persistentVolumeReclaimPolicy: 'Delete' })
    addClaim(cluster)
    deleteClaim(cluster)
    expect(phaseOf(cluster, 'v')).toBe('Failed')
    expect(cluster.eventsOf('v')).toEqual([
      'VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /data/v',
    ])
  })

  it('waits until no pod uses the claim', () => {
    const cluster = start()
    addVolume(cluster, 'v')
    addClaim(cluster)
    cluster.client.create(pods, {
      metadata: { name: 'p', namespace: 'default' },
      spec: {
        nodeName: 'node1',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'pvc' } }],
      },
    })
    deleteClaim(cluster)
    expect(claim(cluster).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
    cluster.client.delete(pods, 'default', 'p')
    cluster.clock.advance(2000)
    expect(cluster.client.list(persistentVolumeClaims)).toEqual([])
  })
})
