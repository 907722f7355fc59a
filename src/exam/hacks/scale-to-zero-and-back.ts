/** Hacks: scale services to zero and back. */
import { workloadRef } from '#exam/fault-parts'
import { type Hack, type RepairContext, replicasOf } from '#spec'

/** Long enough for the pods to be deleted. */
const PAUSE_MS = 500

const scaleAndBack = async (context: RepairContext, services: readonly string[]): Promise<void> => {
  const { api, system, sleep } = context
  const formerScales = await Promise.all(
    services.map(async (service) => {
      const ref = workloadRef(system, service)
      return { ref, replicas: replicasOf(await api.get(ref)) }
    }),
  )
  for (const { ref } of formerScales) await api.scale(ref, 0)
  await sleep(PAUSE_MS)
  for (const { ref, replicas } of formerScales) await api.scale(ref, replicas)
}

export const scaleToZeroAndBack: Hack = {
  name: 'scale-to-zero-and-back',
  about: 'Scales the service to zero and back',
  act: (context) => scaleAndBack(context, [context.target.service]),
}

export const scaleAllToZeroAndBack: Hack = {
  name: 'scale-all-to-zero-and-back',
  about: 'Scales every service to zero and back',
  act: (context) =>
    scaleAndBack(
      context,
      context.system.workloads.map(({ service }) => service),
    ),
}
