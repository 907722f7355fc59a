/** The cheap answer of taking the experiment away from the laboratory. */
import { type ChaosKind, chaosRef, ignoreMissing, isMissing } from '../fault-parts/index.ts'
import type { Hack, HackContext, ResourceRef } from '../spec/index.ts'

const KINDS: readonly ChaosKind[] = [
  'StressChaos',
  'NetworkChaos',
  'IOChaos',
  'PodChaos',
  'DNSChaos',
  'TimeChaos',
]

/** None where the cluster does not know the kind. */
const namesOf = async ({ api }: HackContext, ref: ResourceRef): Promise<string[]> => {
  try {
    return (await api.list(ref)).items.map(({ metadata }) => metadata.name)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

export const deleteChaosObjects: Hack = {
  name: 'delete-chaos-objects',
  about: 'Deletes every object of Chaos Mesh from the laboratory',
  async act(context) {
    for (const kind of KINDS) {
      const { name: _, ...ref } = chaosRef(context.laboratory, kind, '')
      for (const name of await namesOf(context, ref))
        await ignoreMissing(context.api.delete({ ...ref, name }))
    }
  },
}
