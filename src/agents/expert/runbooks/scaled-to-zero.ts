/** Somebody has scaled a workload to nothing: it is brought back to what it had. */
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { scaleTask, toPlaybook } from '../playbook.ts'
import { candidates, defineRunbook } from '../runbook.ts'

const FROM = /from (\d+) to 0\b|to 0 from (\d+)\b/

/** What the events say that it had; one where they say nothing. */
const replicasBefore = async (world: World, { kind, name }: WorkloadView): Promise<number> => {
  const said = (await world.events())
    .filter(({ object }) => object === `${kind}/${name}`)
    .flatMap(({ message }) => FROM.exec(message) ?? [])
    .slice(1)
    .find((count) => count !== undefined)
  return Math.max(1, Number(said ?? 1))
}

export const scaledToZero = defineRunbook({
  name: 'scaled-to-zero',
  about: 'a workload that is to have no pods',
  categories: ['pod-fail'],
  async look(world, focus) {
    const idle = (await candidates(world, focus)).filter(({ replicas }) => replicas === 0)
    return Promise.all(
      idle.map(async (workload) => {
        const { kind, name, service } = workload
        const replicas = await replicasBefore(world, workload)
        return {
          ...({ runbook: 'scaled-to-zero', layer: 'virtualisation', type: 'operation-error' } as const),
          services: [service],
          score: 0.95,
          mayPass: true,
          claim: `${service} was scaled to no pods at all.`,
          evidence: [`${kind} ${name} wants 0 replicas and has none, so nobody answers for ${service}`],
          fix: {
            plan: `Scale ${kind} ${name} back to ${replicas}, which it had before.`,
            services: [service],
            playbook: toPlaybook(`Bring ${service} back`, [
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
