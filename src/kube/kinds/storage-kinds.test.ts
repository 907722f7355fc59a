import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from 'kubernetes-types/core/v1.d.ts'
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '../meta/index.ts'
import { persistentVolumes } from './persistent-volume.ts'
import { persistentVolumeClaims } from './persistent-volume-claim.ts'
import { storageClasses } from './storage-class.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }
const context = { now: Date.parse('2026-01-01T00:01:00Z') }
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

describe('PersistentVolumeClaim', () => {
  const claim = (spec: PersistentVolumeClaimSpec, phase = 'Pending'): Stored<PersistentVolumeClaim> => {
    const draft: Stored<PersistentVolumeClaim> = { ...base, spec, status: { phase } }
    persistentVolumeClaims.defaults!(draft)
    return draft
  }
  const good = (size = '1Gi'): PersistentVolumeClaimSpec => ({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: size } },
    volumeName: 'v',
    volumeMode: 'Filesystem',
  })

  it('asks for a size and a mode', () => {
    expect(texts(persistentVolumeClaims.validate!(claim({}), undefined))).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ])
  })

  it('may be bound once, and grow once bound', () => {
    const { volumeName: _, ...unbound } = good()
    expect(persistentVolumeClaims.validate!(claim(good()), claim(unbound))).toEqual([])
    expect(persistentVolumeClaims.validate!(claim(good('2Gi'), 'Bound'), claim(good(), 'Bound'))).toEqual([])
    const immutable =
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    expect(texts(persistentVolumeClaims.validate!(claim(good('2Gi')), claim(good())))).toEqual([immutable])
    const other = { ...good(), volumeName: 'w' }
    expect(texts(persistentVolumeClaims.validate!(claim(other, 'Bound'), claim(good(), 'Bound')))).toEqual([
      immutable,
    ])
    const old = claim(good('2Gi'), 'Bound')
    old.status.capacity = { storage: '2Gi' }
    expect(texts(persistentVolumeClaims.validate!(claim(good('1Gi'), 'Bound'), old))).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ])
  })

  it('prints its volume once it has one', () => {
    const bound = claim({ ...good(), storageClassName: 'fast' }, 'Bound')
    bound.status = { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'] }
    expect(persistentVolumeClaims.row(bound, context)).toEqual([
      'x',
      'Bound',
      'v',
      '5Gi',
      'RWO',
      'fast',
      '<unset>',
      '60s',
      'Filesystem',
    ])
  })
})

describe('PersistentVolume', () => {
  const volume = (spec: PersistentVolume['spec']): Stored<PersistentVolume> => {
    const draft: Stored<PersistentVolume> = { ...base, spec: spec!, status: {} }
    persistentVolumes.defaults!(draft)
    return draft
  }
  const good = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'], hostPath: { path: '/data' } }

  it('is kept when its claim goes, unless it says otherwise', () => {
    expect(volume(good).spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
      hostPath: { path: '/data', type: '' },
    })
  })

  it('needs a size, a mode and one place for its data', () => {
    expect(texts(persistentVolumes.validate!(volume({}), undefined))).toEqual([
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec: Required value: must specify a volume type',
    ])
    expect(
      texts(persistentVolumes.validate!(volume({ ...good, nfs: { path: '/', server: 's' } }), undefined)),
    ).toEqual(['spec.nfs: Forbidden: may not specify more than 1 volume type'])
    expect(
      texts(persistentVolumes.validate!(volume({ ...good, hostPath: { path: '/b' } }), volume(good))),
    ).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ])
  })

  it('prints its claim', () => {
    const bound = volume({ ...good, claimRef: { namespace: 'shop', name: 'db' } })
    expect(persistentVolumes.row(bound, context)).toEqual([
      'x',
      '1Gi',
      'RWX',
      'Retain',
      'Pending',
      'shop/db',
      '',
      '<unset>',
      '',
      '60s',
      'Filesystem',
    ])
  })
})

describe('StorageClass', () => {
  const storageClass = (rest: Partial<StorageClass>): Stored<StorageClass> => {
    const draft = { provisioner: 'example.com/disk', ...rest, ...base } as Stored<StorageClass>
    storageClasses.defaults!(draft)
    return draft
  }

  it('stays as it is', () => {
    const next = storageClass({
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    expect(texts(storageClasses.validate!(next, storageClass({})))).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ])
  })

  it('shows which one is the default', () => {
    const marked = storageClass({})
    marked.metadata = { ...metadata, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }
    expect(storageClasses.row(marked, context)).toEqual([
      'x (default)',
      'example.com/disk',
      'Delete',
      'Immediate',
      false,
      '60s',
    ])
  })
})
