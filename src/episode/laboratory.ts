/** The namespace in which the laboratory keeps its own objects, and the load that it sends. */
import type { EngineCluster, LoadProfile, System } from '../spec/index.ts'

/** Where objects of the laboratory live. */
export const LABORATORY = 'remedium-laboratory'

export const loadOf = ({ workload }: System): LoadProfile => workload!.brisk ?? workload!.load

export const makeLaboratory = async ({ api }: EngineCluster): Promise<void> => {
  await api
    .create(
      { apiVersion: 'v1', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LABORATORY } },
    )
    .catch((error) => {
      if ((error as { code?: unknown }).code !== 409) throw error
    })
}
