/** Which workloads an autoscaler governs that the solver has not made. */
import type { ApiObject } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'

interface AutoscalerSpec {
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
  readonly minReplicas?: number
}

/** The least replicas that it may give the workload; nothing where there is none. */
export const autoscaledLeast = ({ objects }: EpisodeFacts, workload: ApiObject): number | undefined => {
  const least = [...objects.baseline.values(), ...objects.injected.values()]
    .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    .map(({ spec }) => spec as AutoscalerSpec)
    .filter(({ scaleTargetRef: to }) => to?.kind === workload.kind && to.name === workload.metadata.name)
    .map(({ minReplicas = 1 }) => minReplicas)
  return least.length === 0 ? undefined : Math.max(1, Math.min(...least))
}
