/** Updates the phase of a volume, and reclaims it once its claim is deleted. */
import { persistentVolumeClaims, persistentVolumes } from '#platform/kube/kinds'
import type { ControllerContext } from '../../define-controller.ts'
import { messageOf } from '../../message-of.ts'
import type { Claim, Volume } from './match-volume.ts'
import { setVolumePhase, unbind } from './phases.ts'
import { PROVISIONED_BY, PROVISIONER } from './provision.ts'

/** Deletes the data of a volume of the built-in provisioner. */
type RemoveDirectory = (path: string) => void

const isBuiltIn = ({ metadata }: Volume): boolean => metadata.annotations?.[PROVISIONED_BY] === PROVISIONER
const isProvisioned = ({ metadata }: Volume): boolean => metadata.annotations?.[PROVISIONED_BY] !== undefined

const fail = (context: ControllerContext, volume: Volume, reason: string, message: string): void => {
  if (setVolumePhase(context, volume, 'Failed', message))
    context.events.record(volume, 'Warning', reason, message)
}

/** Returns why a volume without a provisioner cannot be deleted with its data. */
const undeletableReason = ({ metadata, spec }: Volume): string =>
  spec.hostPath === undefined
    ? `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`
    : `host_path deleter only supports /tmp/.+ but received provided ${spec.hostPath.path}`

/** Deletes the data before the object, so that no data remains without an object. */
const deleteVolume = (context: ControllerContext, volume: Volume, removeDirectory: RemoveDirectory): void => {
  const { name, deletionTimestamp } = volume.metadata
  try {
    removeDirectory(volume.spec.hostPath?.path ?? '')
  } catch (error) {
    fail(context, volume, 'VolumeFailedDelete', messageOf(error))
    return
  }
  if (deletionTimestamp === undefined) context.client.delete(persistentVolumes, '', name)
}

const reclaim = (context: ControllerContext, volume: Volume, removeDirectory: RemoveDirectory): void => {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Delete':
      if (isBuiltIn(volume)) deleteVolume(context, volume, removeDirectory)
      else if (!isProvisioned(volume)) fail(context, volume, 'VolumeFailedDelete', undeletableReason(volume))
      return
    case 'Recycle':
      fail(context, volume, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!')
  }
}

const release = (context: ControllerContext, volume: Volume, removeDirectory: RemoveDirectory): void => {
  const { phase } = volume.status
  if (phase !== 'Released' && phase !== 'Failed') setVolumePhase(context, volume, 'Released')
  const released = context.client.get(persistentVolumes, '', volume.metadata.name)
  if (released !== undefined) reclaim(context, released, removeDirectory)
}

const claimOf = ({ client }: ControllerContext, { spec: { claimRef } }: Volume): Claim | undefined => {
  const claim = client.get(persistentVolumeClaims, claimRef?.namespace ?? '', claimRef?.name ?? '')
  return claim?.metadata.uid === claimRef?.uid ? claim : undefined
}

export const syncVolume = (
  context: ControllerContext,
  volume: Volume,
  removeDirectory: RemoveDirectory,
): void => {
  const { claimRef } = volume.spec
  if ((claimRef?.uid ?? '') === '') {
    setVolumePhase(context, volume, 'Available')
    return
  }
  const claim = claimOf(context, volume)
  if (claim === undefined) {
    release(context, volume, removeDirectory)
    return
  }
  const chosen = claim.spec.volumeName ?? ''
  // A claim that has not named its volume yet is bound when the claim is reconciled.
  if (chosen === '') return
  if (chosen === volume.metadata.name) setVolumePhase(context, volume, 'Bound')
  else if (isProvisioned(volume) && volume.spec.persistentVolumeReclaimPolicy === 'Delete')
    release(context, volume, removeDirectory)
  else unbind(context, volume)
}
