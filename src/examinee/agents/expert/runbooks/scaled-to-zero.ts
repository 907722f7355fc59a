/** Runbook for a workload that was scaled to zero: restores its replicas. */
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { scaleTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, listCandidates } from '../runbook.ts'

const PREVIOUS_REPLICAS = /from (\d+) to 0\b|to 0 from (\d+)\b/

/** Returns the previous number of replicas according to events; 1 if unknown. */
const findPreviousReplicas = async (world: World, { kind, name }: WorkloadView): Promise<number> => {
  const previousCount = (await world.events())
    .filter(({ object }) => object === `${kind}/${name}`)
    .flatMap(({ message }) => PREVIOUS_REPLICAS.exec(message) ?? [])
    .slice(1)
    .find((count) => count !== undefined)
  return Math.max(1, Number(previousCount ?? 1))
}

export const scaledToZero = defineRunbook({
  name: 'scaled-to-zero',
  about: 'a workload that was scaled to zero',
  categories: ['pod-fail'],
  async diagnose(world, focus) {
    const scaledDown = (await listCandidates(world, focus)).filter(({ replicas }) => replicas === 0)
    return Promise.all(
      scaledDown.map(async (workload) => {
        const { kind, name, service } = workload
        const replicas = await findPreviousReplicas(world, workload)
        return {
          ...({ runbook: 'scaled-to-zero', layer: 'virtualisation', type: 'operation-error' } as const),
          services: [service],
          score: 0.95,
          mayBeTransient: true,
          claim: `${service} was scaled to zero.`,
          evidence: [`${kind} ${name} has 0 desired replicas, so ${service} has no endpoints`],
          fix: {
            plan: `Scale ${kind} ${name} back to ${replicas}.`,
            services: [service],
            playbook: toPlaybook(`Restore ${service}`, [
              scaleTask(
                `Scale it to ${replicas}`,
                { apiVersion: 'apps/v1', kind, name, namespace: world.namespace },
                replicas,
              ),
            ]),
          },
        }
      }),
    )
  },
})
