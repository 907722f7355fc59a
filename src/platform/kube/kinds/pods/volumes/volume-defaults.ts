/** The defaults of a pod's volume. */
import type { DownwardAPIVolumeFile, Volume } from 'kubernetes-types/core/v1.d.ts'
import { canonicalQuantity } from '#platform/kube/meta'
import { canonicalize } from '../container-defaults.ts'

const FILE_MODE = 0o644

const defaultFiles = (files: readonly DownwardAPIVolumeFile[] | undefined): void => {
  for (const { fieldRef, resourceFieldRef } of files ?? []) {
    if (fieldRef !== undefined) fieldRef.apiVersion ||= 'v1'
    if (resourceFieldRef !== undefined) {
      resourceFieldRef.divisor = canonicalQuantity(resourceFieldRef.divisor ?? '0')
    }
  }
}

const defaultProjection = (projected: NonNullable<Volume['projected']>): void => {
  projected.defaultMode ??= FILE_MODE
  for (const source of projected.sources ?? []) {
    defaultFiles(source.downwardAPI?.items)
    if (source.serviceAccountToken !== undefined) source.serviceAccountToken.expirationSeconds ??= 3600
  }
}

const defaultNetworkDisks = ({ iscsi, rbd, azureDisk, scaleIO }: Volume): void => {
  if (iscsi !== undefined) iscsi.iscsiInterface ||= 'default'
  if (rbd !== undefined) {
    rbd.pool ||= 'rbd'
    rbd.user ||= 'admin'
    rbd.keyring ||= '/etc/ceph/keyring'
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= 'ReadWrite'
    azureDisk.kind ??= 'Shared'
    azureDisk.fsType ??= 'ext4'
    azureDisk.readOnly ??= false
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= 'ThinProvisioned'
    scaleIO.fsType ||= 'xfs'
  }
}

export const defaultVolume = (volume: Volume): void => {
  if (Object.keys(volume).every((member) => member === 'name')) volume.emptyDir = {}
  const { emptyDir, secret, configMap, downwardAPI, projected, hostPath, ephemeral } = volume
  if (emptyDir?.sizeLimit !== undefined) emptyDir.sizeLimit = canonicalQuantity(emptyDir.sizeLimit)
  if (secret !== undefined) secret.defaultMode ??= FILE_MODE
  if (configMap !== undefined) configMap.defaultMode ??= FILE_MODE
  if (downwardAPI !== undefined) {
    downwardAPI.defaultMode ??= FILE_MODE
    defaultFiles(downwardAPI.items)
  }
  if (projected !== undefined) defaultProjection(projected)
  if (hostPath !== undefined) hostPath.type ??= ''
  const claim = ephemeral?.volumeClaimTemplate
  if (claim?.spec !== undefined) {
    claim.spec.volumeMode ??= 'Filesystem'
    canonicalize(claim.spec.resources?.requests)
  }
  defaultNetworkDisks(volume)
}
