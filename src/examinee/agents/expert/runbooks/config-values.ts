/** Runbook for a wrong address in a ConfigMap: corrects it, and restarts the workload that reads it. */
import { type ApiObject, viewAs } from '#spec'
import { type CorrectedText, correctAddresses } from '../config/wrong-addresses.ts'
import { listServices } from '../observe/services.ts'
import { listSymptomsOf } from '../observe/symptoms.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { applyTask, restartTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'

const readsConfigMap = ({ template }: WorkloadView, map: string): boolean =>
  (template.spec.volumes ?? []).some(({ configMap }) => configMap?.name === map) ||
  template.spec.containers.some(({ envFrom = [] }) =>
    envFrom.some(({ configMapRef }) => configMapRef?.name === map),
  )

/** Finds the workload that most likely read the wrong value: by symptoms, name in the path, and start time. */
const findReader = async (
  world: World,
  { service }: Focus,
  map: string,
  { corrections }: CorrectedText,
): Promise<{ workload: WorkloadView; symptoms: readonly string[] } | undefined> => {
  const readers = (await world.workloads()).filter((workload) => readsConfigMap(workload, map))
  const path = corrections[0]!.path.toLowerCase()
  const candidates: {
    workload: WorkloadView
    symptoms: readonly string[]
    score: number
    created: number
  }[] = []
  for (const workload of readers) {
    const symptoms = await listSymptomsOf(world, workload.service)
    const pods = await world.podsOf(workload.service)
    const isNamedInPath = path.includes(workload.service.toLowerCase().slice(0, 6))
    const score = symptoms.length + (isNamedInPath ? 2 : 0) + (pods.some(({ isReady }) => !isReady) ? 5 : 0)
    const created = Math.max(0, ...pods.map((pod) => pod.created))
    candidates.push({ workload, symptoms, score: workload.service === service ? 100 : score, created })
  }
  candidates.sort((a, b) => b.score - a.score || b.created - a.created)
  const [best] = candidates
  return best === undefined || (service !== undefined && best.workload.service !== service) ? undefined : best
}

const inspect = async (world: World, focus: Focus, map: ApiObject): Promise<readonly Hypothesis[]> => {
  const services = await listServices(world)
  const hypotheses: Hypothesis[] = []
  for (const [file, text] of Object.entries(viewAs('ConfigMap', map).data ?? {})) {
    const corrected = correctAddresses(text, services)
    const reader = corrected && (await findReader(world, focus, map.metadata.name, corrected))
    if (corrected === undefined || reader === undefined) continue
    const { service, kind, name } = reader.workload
    const { path, actual, expected } = corrected.corrections[0]!
    const isLikely = focus.service !== undefined || reader.symptoms.length > 0
    hypotheses.push({
      ...({ runbook: 'config-values', layer: 'application', type: 'misconfiguration' } as const),
      services: [service],
      score: isLikely ? 0.93 : 0.75,
      mayBeTransient: false,
      claim: `${path || file} in the ConfigMap ${map.metadata.name} sends ${service} to ${actual}, an address that no Service has.`,
      evidence: [`no Service has the address ${actual}; a Service has ${expected}`, ...reader.symptoms],
      fix: {
        plan: `Restore ${expected}, and restart ${service}, which reads it only at its start.`,
        services: [service],
        playbook: toPlaybook('Correct the configuration', [
          applyTask('Restore the value', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: map.metadata.name, namespace: world.namespace },
            data: { [file]: corrected.text },
          }),
          restartTask(`Restart ${service} to read it`, {
            apiVersion: 'apps/v1',
            kind,
            name,
            namespace: world.namespace,
          }),
        ]),
      },
    })
  }
  return hypotheses
}

export const configValues = defineRunbook({
  name: 'config-values',
  about: 'an address in a ConfigMap that no Service has',
  categories: ['pod-config-error'],
  async diagnose(world, focus) {
    const hypotheses: Hypothesis[] = []
    for (const map of await world.objects('ConfigMap')) hypotheses.push(...(await inspect(world, focus, map)))
    return hypotheses
  },
})
