/** Repairs that delete an object and create it again from a clean manifest. */
import { deployedService, serviceRef, workloadRef } from '#exam/fault-parts'
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
  act: (context) => {
    const { system, target } = context
    const service = deployedService(system, target.object)
    const manifest = { ...service, metadata: { ...service.metadata, namespace: system.namespace } }
    return recreate(context, serviceRef(system, target.object), manifest)
  },
}

const createClaim: RightRepair = {
  name: 'create-the-claim',
  about: 'Creates the claim that the pods wait for, instead of removing the volume',
  faults: ['claim-missing'],
  async act({ api, system, target, params }) {
    const { namespace } = system
    await api.create(
      { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: `${target.service}-${params.purpose}`, namespace, labels: INCIDENT_NOTES.labels },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
      },
    )
  },
}

export const RECREATION: readonly RightRepair[] = [recreateWorkload, recreateService, createClaim]
