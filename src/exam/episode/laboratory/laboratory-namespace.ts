/** The namespace in which the laboratory keeps its own objects, hidden from agents. */
import { type EngineCluster, isConflict, isLaboratoryKind } from '#spec'
import { createAgentAccounts } from '../solving/agent-access.ts'

export const LABORATORY = 'remedium-laboratory'

/** Whether an object of an event, written as `PodChaos/name`, belongs to the laboratory. */
export const isLaboratoryObject = (object: string): boolean => isLaboratoryKind(object.split('/', 1)[0]!)

/** Creates the namespace and the accounts of agents. A reset removes them, so they are created again after each reset. */
export const createLaboratoryNamespace = async (
  { api }: EngineCluster,
  systemNamespace: string,
): Promise<void> => {
  const creating = api
    .create(
      { apiVersion: 'v1', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LABORATORY } },
    )
    .catch((error) => {
      if (!isConflict(error)) throw error
    })
  await Promise.all([creating, createAgentAccounts(api, systemNamespace)])
}
