/** The namespace in which the laboratory keeps its own objects, and the load that it sends. */
import { type EngineCluster, isLaboratoryKind, type LoadProfile, type System } from '../spec/index.ts'
import { makeAgentAccounts } from './agent-access.ts'

/** Where objects of the laboratory live. */
export const LABORATORY = 'remedium-laboratory'

export const loadOf = ({ workload }: System): LoadProfile => workload!.brisk ?? workload!.load

/** What of the cluster's own notes tells of the laboratory: `PodChaos/name`. */
export const isOfLaboratory = (object: string): boolean => isLaboratoryKind(object.split('/', 1)[0]!)

/** Its namespace, and the accounts of agents: once at the beginning, and again after every reset, which removes them. */
export const makeLaboratory = async ({ api }: EngineCluster, namespace: string): Promise<void> => {
  const making = api
    .create(
      { apiVersion: 'v1', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LABORATORY } },
    )
    .catch((error) => {
      if ((error as { code?: unknown }).code !== 409) throw error
    })
  await Promise.all([making, makeAgentAccounts(api, namespace)])
}
