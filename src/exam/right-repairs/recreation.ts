/** Repairs that delete an object and create it again from a clean manifest. */
import { deployedService, patchTarget, serviceRef, workloadRef } from '#exam/fault-parts'
import { type FaultCase, podTemplateOf, type RepairContext, viewAs } from '#spec'
import { INCIDENT_NOTES, withNotes } from './notes.ts'
import type { RightRepair } from './right-repair.ts'
import { cleanManifest, recreate } from './targets.ts'

const recreateWorkload: RightRepair = {
  name: 'recreate-the-workload',
  about: 'Deletes the Deployment and creates it from its manifest, as kubectl replace --force does',
  faults: ['readiness-never', 'liveness-kills', 'release-crash'],
  act: (context) => {
    const { system, target } = context
    const manifest = withNotes(cleanManifest(system, target.service), INCIDENT_NOTES)
    return recreate(context, workloadRef(system, target.service), manifest)
  },
}

const recreateService: RightRepair = {
  name: 'recreate-the-service',
  about: 'Deletes the Service and creates it from its manifest; it gets another address',
  faults: ['target-port-wrong', 'selector-empty'],
  // Users outside the cluster know the node port, which would change, too.
  fits: ({ system, target }) => {
    const { type = 'ClusterIP' } = viewAs('Service', deployedService(system, target.object)).spec ?? {}
    return type === 'ClusterIP'
  },
  act: (context) => {
    const { system, target } = context
    const service = deployedService(system, target.object)
    const manifest = { ...service, metadata: { ...service.metadata, namespace: system.namespace } }
    return recreate(context, serviceRef(system, target.object), manifest)
  },
}

const addClaim = async ({ api, system }: RepairContext, name: string): Promise<void> => {
  const { namespace } = system
  await api.create(
    { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace, labels: INCIDENT_NOTES.labels },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
    },
  )
}

const claimNameOf = ({ target, params }: FaultCase): string => `${target.service}-${params.purpose}`

const createClaim: RightRepair = {
  name: 'create-the-claim',
  about: 'Creates the claim that the pods wait for, instead of removing the volume',
  faults: ['claim-missing'],
  act: (context) => addClaim(context, claimNameOf(context)),
}

const mountNewClaim: RightRepair = {
  name: 'mount-a-claim-with-another-name',
  about: 'Creates a claim with another name, and mounts it in the workload instead of the missing one',
  faults: ['claim-missing'],
  async act(context) {
    const { api, system, target } = context
    const claimName = `${target.service}-storage`
    await addClaim(context, claimName)
    const { volumes = [] } = podTemplateOf(await api.get(workloadRef(system, target.service)))?.spec ?? {}
    const { name } = volumes.find(
      ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claimNameOf(context),
    )!
    await patchTarget(context, {
      template: { spec: { volumes: [{ name, persistentVolumeClaim: { claimName } }] } },
    })
  },
}

export const RECREATION: readonly RightRepair[] = [
  recreateWorkload,
  recreateService,
  createClaim,
  mountNewClaim,
]
