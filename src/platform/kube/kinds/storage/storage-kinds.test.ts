/** Tests persistent volumes, claims and storage classes. */
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from 'kubernetes-types/core/v1.d.ts'
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { persistentVolumes } from './persistent-volume.ts'
import { persistentVolumeClaims } from './persistent-volume-claim.ts'
import { storageClasses } from './storage-class.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }
const context = { now: Date.parse('2026-01-01T00:01:00Z') }

describe('PersistentVolumeClaim', () => {
  const claim = (spec: PersistentVolumeClaimSpec, phase = 'Pending'): Stored<PersistentVolumeClaim> => {
    const draft: Stored<PersistentVolumeClaim> = { ...base, spec, status: { phase } }
    persistentVolumeClaims.defaults!(draft)
    return draft
  }
  const validSpec = (size = '1Gi'): PersistentVolumeClaimSpec => ({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: size } },
    volumeName: 'v',
    volumeMode: 'Filesystem',
  })

  it('requires a size and an access mode', () => {
    expect(errorTexts(persistentVolumeClaims.validate!(claim({}), undefined))).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ])
  })

  it('allows binding, and growth of a bound claim, but no other change', () => {
    const { volumeName: _, ...unbound } = validSpec()
    expect(persistentVolumeClaims.validate!(claim(validSpec()), claim(unbound))).toEqual([])
    expect(
      persistentVolumeClaims.validate!(claim(validSpec('2Gi'), 'Bound'), claim(validSpec(), 'Bound')),
    ).toEqual([])
    const immutable =
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    expect(errorTexts(persistentVolumeClaims.validate!(claim(validSpec('2Gi')), claim(validSpec())))).toEqual(
      [immutable],
    )
    const changed = { ...validSpec(), volumeName: 'w' }
    expect(
      errorTexts(persistentVolumeClaims.validate!(claim(changed, 'Bound'), claim(validSpec(), 'Bound'))),
    ).toEqual([immutable])
    const old = claim(validSpec('2Gi'), 'Bound')
    old.status.capacity = { storage: '2Gi' }
    expect(errorTexts(persistentVolumeClaims.validate!(claim(validSpec('1Gi'), 'Bound'), old))).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ])
  })

  it('prints the volume of a bound claim', () => {
    const bound = claim({ ...validSpec(), storageClassName: 'fast' }, 'Bound')
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
  const validSpec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteMany'],
    hostPath: { path: '/data' },
  }

  it('has the default reclaim policy Retain', () => {
    expect(volume(validSpec).spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
      hostPath: { path: '/data', type: '' },
    })
  })

  it('requires a size, an access mode and one immutable volume source', () => {
    expect(errorTexts(persistentVolumes.validate!(volume({}), undefined))).toEqual([
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec: Required value: must specify a volume type',
    ])
    expect(
      errorTexts(
        persistentVolumes.validate!(volume({ ...validSpec, nfs: { path: '/', server: 's' } }), undefined),
      ),
    ).toEqual(['spec.nfs: Forbidden: may not specify more than 1 volume type'])
    expect(
      errorTexts(
        persistentVolumes.validate!(volume({ ...validSpec, hostPath: { path: '/b' } }), volume(validSpec)),
      ),
    ).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ])
  })

  it('prints its claim', () => {
    const bound = volume({ ...validSpec, claimRef: { namespace: 'shop', name: 'db' } })
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

  it('rejects changes of parameters, reclaim policy and binding mode', () => {
    const next = storageClass({
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    expect(errorTexts(storageClasses.validate!(next, storageClass({})))).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ])
  })

  it('marks the default class in the table', () => {
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
