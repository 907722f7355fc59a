/** A pod finds no node: all are cordoned, or newcomers have reserved what was left. */
import { type ApiObject, quantityValue } from '../../../spec/index.ts'
import { isSelected, type Labels, type PodSpec, specOf } from '../observe/kube-shapes.ts'
import type { PodView } from '../observe/pods.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchAllTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

const isCordoned = (node: ApiObject): boolean =>
  specOf<{ unschedulable?: boolean }>(node).unschedulable === true

const uncordon = (pod: PodView, nodes: readonly ApiObject[]): Hypothesis => {
  const names = nodes.map(({ metadata }) => metadata.name)
  return {
    ...({ runbook: 'unschedulable', layer: 'virtualisation', type: 'operation-error' } as const),
    services: [pod.service],
    score: 0.96,
    mayPass: false,
    claim: `${names.join(', ')} were cordoned and forgotten, so ${pod.name} finds no place.`,
    evidence: [`pod ${pod.name}: ${pod.unscheduled}`, `${names.join(', ')} are unschedulable, and Ready`],
    fix: {
      plan: `Uncordon ${names.join(', ')}; the scheduler does the rest.`,
      services: [pod.service],
      playbook: toPlaybook('Let the nodes take pods again', [
        patchAllTask(
          'Uncordon them',
          names.map((name) => ({
            apiVersion: 'v1',
            kind: 'Node',
            metadata: { name },
            spec: { unschedulable: false },
          })),
        ),
      ]),
    },
  }
}

const requestedCpu = ({ containers }: PodSpec): number =>
  containers.reduce((sum, { resources }) => sum + (quantityValue(resources?.requests?.cpu) ?? 0), 0)

/** Reserves much, and serves nobody: no Service leads to it. */
const greedy = async (world: World): Promise<readonly WorkloadView[]> => {
  const selectors = (await world.objects('Service')).map(
    (service) => specOf<{ selector?: Labels }>(service).selector,
  )
  const all = await world.workloads()
  const largest = Math.max(
    ...all
      .filter(({ template }) => isServed(selectors, template))
      .map(({ template }) => requestedCpu(template.spec)),
    0.05,
  )
  return all.filter(
    ({ template, replicas }) =>
      replicas > 0 && !isServed(selectors, template) && requestedCpu(template.spec) > 2 * largest,
  )
}

const isServed = (
  selectors: readonly (Labels | undefined)[],
  { metadata }: WorkloadView['template'],
): boolean => selectors.some((selector) => isSelected(selector, metadata?.labels ?? {}))

const makeRoom = (world: World, pod: PodView, newcomers: readonly WorkloadView[]): Hypothesis => {
  const names = newcomers.map(({ name }) => name)
  const told = newcomers.map(
    ({ kind, name, template }) =>
      `${kind} ${name} reserves ${Math.round(requestedCpu(template.spec) * 1000)}m of CPU, and no Service leads to it`,
  )
  return {
    ...({ runbook: 'unschedulable', layer: 'virtualisation', type: 'capacity-shortage' } as const),
    services: [pod.service, ...new Set(newcomers.map(({ service }) => service))],
    score: 0.95,
    mayPass: false,
    claim: `Batch work (${names.join(', ')}) has reserved the nodes, and ${pod.name} finds no room.`,
    evidence: [`pod ${pod.name}: ${pod.unscheduled}`, ...told.slice(0, 3)],
    fix: {
      plan: `Park ${names.join(', ')}, which nobody waits for; it can be scaled up again at a better time.`,
      services: [pod.service],
      playbook: toPlaybook('Give the nodes back to the services', [
        patchAllTask(
          'Park the batch work that reserves them',
          newcomers.map(({ kind, name }) => ({
            apiVersion: 'apps/v1',
            kind,
            metadata: { name, namespace: world.namespace },
            spec: { replicas: 0 },
          })),
        ),
      ]),
    },
  }
}

export const unschedulable = defineRunbook({
  name: 'unschedulable',
  about: 'pods that no node takes: cordoned nodes, or nodes reserved by others',
  categories: ['pod-fail'],
  async look(world, focus) {
    const pending = (await world.pods()).filter(
      ({ unscheduled, service }) => unscheduled !== undefined && isInFocus(focus, service),
    )
    const [pod] = pending
    if (pod === undefined) return []
    const cordoned = (await world.objects('Node')).filter(isCordoned)
    if (/unschedulable/.test(pod.unscheduled ?? '') && cordoned.length > 0) return [uncordon(pod, cordoned)]
    const newcomers = /Insufficient/.test(pod.unscheduled ?? '') ? await greedy(world) : []
    return newcomers.length === 0 ? [] : [makeRoom(world, pod, newcomers)]
  },
})
