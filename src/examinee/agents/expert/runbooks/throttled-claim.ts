/** Runbook for an annotation on a claim that throttles its volume: removes the annotation. */
import type { ApiObject } from '#spec'
import { annotationsOf, claimsOf } from '../observe/kube-views.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

/** The names that storage drivers use for limits. */
const LIMIT_ANNOTATION = /(iops|throughput|bandwidth)$/i
/** Operations or megabytes per second. Higher limits do not delay the systems. */
const MAX_RESTRICTIVE_LIMIT = 200

const limitsOf = (claim: ApiObject): [string, string][] =>
  Object.entries(annotationsOf(claim)).filter(
    ([key, value]) => LIMIT_ANNOTATION.test(key) && Number(value) < MAX_RESTRICTIVE_LIMIT,
  )

const toHypothesis = (claim: ApiObject, namespace: string, services: readonly string[]): Hypothesis => {
  const limits = limitsOf(claim)
  const { name } = claim.metadata
  const removed = Object.fromEntries(limits.map(([key]) => [key, null]))
  return {
    ...({ runbook: 'throttled-claim', layer: 'virtualisation', type: 'network-storage-issue' } as const),
    services,
    score: 0.93,
    mayBeTransient: false,
    claim: `An annotation on the claim ${name} throttles the volume of ${services.join(', ')}.`,
    evidence: limits.map(([key, value]) => `${name} has the annotation ${key}: ${value}`),
    fix: {
      plan: `Remove the annotation from the claim ${name}. No restart is needed.`,
      services,
      playbook: toPlaybook(`Remove the limit of the volume of ${services.join(', ')}`, [
        patchTask(
          'Remove the annotation',
          { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace },
          { metadata: { annotations: removed } },
        ),
      ]),
    },
  }
}

export const throttledClaim = defineRunbook({
  name: 'throttled-claim',
  about: 'a claim with an annotation that throttles its volume',
  categories: ['disk-io'],
  async diagnose(world, focus) {
    const mountingPods = (await world.pods()).filter((pod) => claimsOf(pod.spec).length > 0)
    // Reading the claims costs a step.
    if (!mountingPods.some(({ service }) => isInFocus(focus, service))) return []
    const throttledClaims = (await world.objects('PersistentVolumeClaim')).filter(
      (object) => limitsOf(object).length > 0,
    )
    const hypotheses: Hypothesis[] = []
    for (const claim of throttledClaims) {
      const pods = mountingPods.filter((pod) => claimsOf(pod.spec).includes(claim.metadata.name))
      const services = [...new Set(pods.map(({ service }) => service))]
      if (services.some((service) => isInFocus(focus, service)))
        hypotheses.push(toHypothesis(claim, world.namespace, services))
    }
    return hypotheses
  },
})
