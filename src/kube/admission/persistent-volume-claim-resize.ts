/** Claims grow only where their class of storage lets them. */
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { persistentVolumeClaims, storageClasses } from '../kinds/index.ts'
import { compareQuantities, type Stored } from '../meta/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'
import { refuse } from './refuse.ts'

const sizeOf = (claim: Stored<PersistentVolumeClaim>): string =>
  claim.spec.resources?.requests?.storage ?? '0'

export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  validate(request) {
    if (request.kind.id !== persistentVolumeClaims.id || request.operation !== 'UPDATE') return
    if (request.subresource !== undefined) return
    const claim = request.object as Stored<PersistentVolumeClaim>
    const old = request.old as Stored<PersistentVolumeClaim>
    if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return
    if (old.status.phase !== 'Bound')
      throw refuse(request, 'Only bound persistent volume claims can be expanded')
    const storageClass = request.client.get(storageClasses, '', claim.spec.storageClassName ?? '')
    if (storageClass?.allowVolumeExpansion !== true) {
      throw refuse(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    }
  },
}
