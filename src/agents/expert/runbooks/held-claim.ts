/** A note on a claim holds its volume to next to nothing: the note is taken away. */
import type { ApiObject } from '../../../spec/index.ts'
import type { PodView } from '../observe/pods.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

/** As drivers of storage call their limits. */
const LIMIT = /(iops|throughput|bandwidth)$/i
/** Of operations, or megabytes, a second: with more nobody waits. */
const ENOUGH = 200

interface Mounted {
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

const claimsOf = ({ object }: PodView): readonly string[] =>
  ((object.spec as { volumes?: readonly Mounted[] } | undefined)?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  )

const limitsOf = ({ metadata }: ApiObject): [string, string][] =>
  Object.entries((metadata.annotations ?? {}) as Record<string, string>).filter(
    ([key, value]) => LIMIT.test(key) && Number(value) < ENOUGH,
  )

const toHypothesis = (claim: ApiObject, namespace: string, services: readonly string[]): Hypothesis => {
  const limits = limitsOf(claim)
  const { name } = claim.metadata
  const nothing = Object.fromEntries(limits.map(([key]) => [key, null]))
  return {
    ...({ runbook: 'held-claim', layer: 'virtualisation', type: 'network-storage-issue' } as const),
    services,
    score: 0.93,
    mayPass: false,
    claim: `The volume of ${services.join(', ')} is held to next to nothing by a note on its claim ${name}.`,
    evidence: limits.map(([key, value]) => `${name} has ${key}: ${value}`),
    fix: {
      plan: `Take the note away from the claim ${name}; nobody has to be restarted.`,
      services,
      playbook: toPlaybook(`Let the volume of ${services.join(', ')} be used as before`, [
        patchTask(
          'Take the note away that holds it',
          { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace },
          { metadata: { annotations: nothing } },
        ),
      ]),
    },
  }
}

export const heldClaim = defineRunbook({
  name: 'held-claim',
  about: 'a claim whose volume may hardly be used, by a note on it',
  categories: ['disk-io'],
  async look(world, focus) {
    const mounting = (await world.pods()).filter((pod) => claimsOf(pod).length > 0)
    // Every question costs a step.
    if (!mounting.some(({ service }) => isInFocus(focus, service))) return []
    const held = (await world.objects('PersistentVolumeClaim')).filter((one) => limitsOf(one).length > 0)
    const found: Hypothesis[] = []
    for (const claim of held) {
      const pods = mounting.filter((pod) => claimsOf(pod).includes(claim.metadata.name))
      const services = [...new Set(pods.map(({ service }) => service))]
      if (services.some((service) => isInFocus(focus, service)))
        found.push(toHypothesis(claim, world.namespace, services))
    }
    return found
  },
})
