/** A value in a ConfigMap sends its readers to a place where nobody is: it is corrected, and who suffers from it started again. */
import type { ApiObject } from '../../../spec/index.ts'
import { type CorrectedText, correctAddresses } from '../config/wrong-addresses.ts'
import { listServices } from '../observe/services.ts'
import { symptomsOf } from '../observe/symptoms.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { applyTask, restartTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'

const reads = ({ template }: WorkloadView, map: string): boolean =>
  (template.spec.volumes ?? []).some(({ configMap }) => configMap?.name === map) ||
  template.spec.containers.some(({ envFrom = [] }) =>
    envFrom.some(({ configMapRef }) => configMapRef?.name === map),
  )

/** Those who have read the wrong value: who was started last, suffers, or gave the value its name. */
const readerOf = async (
  world: World,
  { service }: Focus,
  map: string,
  { wrong }: CorrectedText,
): Promise<{ workload: WorkloadView; symptoms: readonly string[] } | undefined> => {
  const readers = (await world.workloads()).filter((workload) => reads(workload, map))
  const path = wrong[0]!.path.toLowerCase()
  const scored: { workload: WorkloadView; symptoms: readonly string[]; score: number; created: number }[] = []
  for (const workload of readers) {
    const symptoms = await symptomsOf(world, workload.service)
    const pods = await world.podsOf(workload.service)
    const isNamed = path.includes(workload.service.toLowerCase().slice(0, 6))
    const score = symptoms.length + (isNamed ? 2 : 0) + (pods.some(({ ready }) => !ready) ? 5 : 0)
    const created = Math.max(0, ...pods.map((pod) => pod.created))
    scored.push({ workload, symptoms, score: workload.service === service ? 100 : score, created })
  }
  scored.sort((one, other) => other.score - one.score || other.created - one.created)
  const [best] = scored
  return best === undefined || (service !== undefined && best.workload.service !== service) ? undefined : best
}

const inspect = async (world: World, focus: Focus, map: ApiObject): Promise<readonly Hypothesis[]> => {
  const services = await listServices(world)
  const found: Hypothesis[] = []
  for (const [file, text] of Object.entries((map.data ?? {}) as Readonly<Record<string, string>>)) {
    const corrected = correctAddresses(text, services)
    const reader = corrected && (await readerOf(world, focus, map.metadata.name, corrected))
    if (corrected === undefined || reader === undefined) continue
    const { service, kind, name } = reader.workload
    const { path, is, right } = corrected.wrong[0]!
    const isFelt = focus.service !== undefined || reader.symptoms.length > 0
    found.push({
      ...({ runbook: 'config-values', layer: 'application', type: 'misconfiguration' } as const),
      services: [service],
      score: isFelt ? 0.93 : 0.75,
      mayPass: false,
      claim: `${path || file} in the ConfigMap ${map.metadata.name} leads ${service} to ${is}, where nobody is.`,
      evidence: [`no Service answers at ${is}; ${right} is one`, ...reader.symptoms],
      fix: {
        plan: `Put ${right} back, and start ${service} again, which reads it only then.`,
        services: [service],
        playbook: toPlaybook('Put the configuration right', [
          applyTask('Put the value back', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: map.metadata.name, namespace: world.namespace },
            data: { [file]: corrected.text },
          }),
          restartTask(`Let ${service} read it`, {
            apiVersion: 'apps/v1',
            kind,
            name,
            namespace: world.namespace,
          }),
        ]),
      },
    })
  }
  return found
}

export const configValues = defineRunbook({
  name: 'config-values',
  about: 'an address in a ConfigMap at which nobody answers',
  categories: ['pod-config-error'],
  async look(world, focus) {
    const found: Hypothesis[] = []
    for (const map of await world.objects('ConfigMap')) found.push(...(await inspect(world, focus, map)))
    return found
  },
})
