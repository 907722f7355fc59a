/** Rejects the expansion of claims unless they are bound and their storage class allows it. */
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { persistentVolumeClaims, storageClasses } from '#platform/kube/kinds'
import { compareQuantities, type Stored } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'
import { forbiddenError } from './forbidden-error.ts'

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
      throw forbiddenError(request, 'Only bound persistent volume claims can be expanded')
    const storageClass = request.client.get(storageClasses, '', claim.spec.storageClassName ?? '')
    if (storageClass?.allowVolumeExpansion !== true) {
      throw forbiddenError(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    }
  },
}
