/** Provisions volumes for claims: directories on the nodes, for classes of the built-in provisioner. */
import type { PersistentVolumeSpec } from 'kubernetes-types/core/v1.d.ts'
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { defined } from '#kit'
import {
  NO_PROVISIONER,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  SELECTED_NODE,
  storageClasses,
} from '#platform/kube/kinds'
import { isAlreadyExists, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type ControllerContext, keyOf } from '../../define-controller.ts'
import { type Claim, classOf } from './match-volume.ts'
import { referenceTo } from './phases.ts'

/** The name of the built-in provisioner. */
export const PROVISIONER = 'remedium.io/directory'
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
const PROVISIONER_ANNOTATIONS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
]
const HOSTNAME = 'kubernetes.io/hostname'

/** Annotates the claim with the provisioner of its class. */
const assignProvisioner = (client: Client, claim: Claim, provisioner: string): Claim => {
  const { annotations } = claim.metadata
  if (PROVISIONER_ANNOTATIONS.every((key) => annotations?.[key] === provisioner)) return claim
  const assigned = Object.fromEntries(PROVISIONER_ANNOTATIONS.map((key) => [key, provisioner]))
  return client.update(persistentVolumeClaims, {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...annotations, ...assigned } },
  })
}

const affinityOf = (client: Client, claim: Claim): Pick<PersistentVolumeSpec, 'nodeAffinity'> => {
  const node = client.get(nodes, '', claim.metadata.annotations?.[SELECTED_NODE] ?? '')
  if (node === undefined) return {}
  const values = [node.metadata.labels?.[HOSTNAME] ?? node.metadata.name]
  const matchExpressions = [{ key: HOSTNAME, operator: 'In', values }]
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }
}

const createVolume = (
  client: Client,
  claim: Claim,
  storageClass: Stored<StorageClass>,
  directory: string,
): string => {
  const name = `pvc-${claim.metadata.uid}`
  const { accessModes, volumeMode, resources } = claim.spec
  const { mountOptions } = storageClass
  try {
    client.create(persistentVolumes, {
      metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
      spec: {
        capacity: { storage: resources?.requests?.storage ?? '0' },
        hostPath: { path: `${directory}/${name}`, type: 'DirectoryOrCreate' },
        ...defined({ accessModes }),
        claimRef: referenceTo(claim),
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: storageClass.metadata.name,
        ...defined({ mountOptions, volumeMode }),
        ...affinityOf(client, claim),
      },
    })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  return name
}

/** Provisions a volume for the claim, or records an event that explains why it has none yet. */
export const provision = ({ client, events }: ControllerContext, claim: Claim, directory: string): void => {
  const name = classOf(claim)
  const storageClass = client.get(storageClasses, '', name)
  if (storageClass === undefined) {
    events.record(claim, 'Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${name}" not found`)
    return
  }
  const { provisioner } = storageClass
  if (provisioner === NO_PROVISIONER) {
    const message = `storageclass "${name}" wrong provisioner: no volume plugin matched name: ${provisioner}`
    events.record(claim, 'Warning', 'ProvisioningFailed', message)
    return
  }
  const assigned = assignProvisioner(client, claim, provisioner)
  if (provisioner !== PROVISIONER) {
    events.record(
      assigned,
      'Normal',
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    )
    return
  }
  events.record(
    assigned,
    'Normal',
    'Provisioning',
    `External provisioner is provisioning volume for claim "${keyOf(assigned)}"`,
  )
  const volume = createVolume(client, assigned, storageClass, directory)
  events.record(assigned, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume}`)
}
