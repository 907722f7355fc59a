/** Hack: deletes the chaos objects of the laboratory. */
import { type ChaosKind, chaosRef, ignoreMissing } from '#exam/fault-parts'
import { type Hack, isNotFound, type RepairContext, type ResourceRef } from '#spec'

const KINDS: readonly ChaosKind[] = [
  'StressChaos',
  'NetworkChaos',
  'IOChaos',
  'PodChaos',
  'DNSChaos',
  'TimeChaos',
]

/** Returns an empty list if the cluster does not serve the kind. */
const listNames = async ({ api }: RepairContext, ref: ResourceRef): Promise<string[]> => {
  try {
    return (await api.list(ref)).items.map(({ metadata }) => metadata.name)
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

export const deleteChaosObjects: Hack = {
  name: 'delete-chaos-objects',
  about: 'Deletes all Chaos Mesh objects of the laboratory',
  async act(context) {
    for (const kind of KINDS) {
      const { name: _, ...ref } = chaosRef(context.laboratory, kind, '')
      for (const name of await listNames(context, ref))
        await ignoreMissing(context.api.delete({ ...ref, name }))
    }
  },
}
