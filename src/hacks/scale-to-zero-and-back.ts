/** The cheap answer of taking all pods away for a moment. */
import { workloadRef } from '../fault-parts/index.ts'
import type { Hack, HackContext } from '../spec/index.ts'

/** Long enough for the pods to go. */
const PAUSE_MS = 500

const scaleAndBack = async (context: HackContext, services: readonly string[]): Promise<void> => {
  const { api, system, sleep } = context
  const found = await Promise.all(
    services.map(async (service) => {
      const ref = workloadRef(system, service)
      const { spec } = await api.get(ref)
      return { ref, replicas: (spec as { replicas?: number }).replicas ?? 1 }
    }),
  )
  for (const { ref } of found) await api.scale(ref, 0)
  await sleep(PAUSE_MS)
  for (const { ref, replicas } of found) await api.scale(ref, replicas)
}

export const scaleToZeroAndBack: Hack = {
  name: 'scale-to-zero-and-back',
  about: 'Scales the service to no pods and then to as many as it had',
  act: (context) => scaleAndBack(context, [context.target.service]),
}

export const scaleAllToZeroAndBack: Hack = {
  name: 'scale-all-to-zero-and-back',
  about: 'Scales every service to no pods and then to as many as it had',
  act: (context) =>
    scaleAndBack(
      context,
      context.system.workloads.map(({ service }) => service),
    ),
}
