/** Runbook for a pod that cannot be scheduled: uncordons nodes, or scales down batch workloads that reserve them. */
import { type ApiObject, type PodSpecView, quantityValue, viewAs } from '#spec'
import { isSelected, type Labels } from '../observe/kube-views.ts'
import type { PodView } from '../observe/pods.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchAllTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

const isCordoned = (node: ApiObject): boolean => viewAs('Node', node).spec?.unschedulable === true

const toUncordonHypothesis = (pod: PodView, nodes: readonly ApiObject[]): Hypothesis => {
  const names = nodes.map(({ metadata }) => metadata.name)
  return {
    ...({ runbook: 'unschedulable', layer: 'virtualisation', type: 'operation-error' } as const),
    services: [pod.service],
    score: 0.96,
    mayBeTransient: false,
    claim: `The nodes ${names.join(', ')} are cordoned, so ${pod.name} cannot be scheduled.`,
    evidence: [
      `pod ${pod.name}: ${pod.schedulingFailure}`,
      `${names.join(', ')} are unschedulable, and Ready`,
    ],
    fix: {
      plan: `Uncordon ${names.join(', ')}, so that the scheduler can place the pod.`,
      services: [pod.service],
      playbook: toPlaybook('Uncordon the nodes', [
        patchAllTask(
          'Uncordon the nodes',
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

const requestedCpuOf = ({ containers }: PodSpecView): number =>
  containers.reduce((sum, { resources }) => sum + (quantityValue(resources?.requests?.cpu) ?? 0), 0)

/** Lists workloads without a Service that request far more CPU than any workload with one. */
const listBatchWorkloads = async (world: World): Promise<readonly WorkloadView[]> => {
  const selectors = (await world.objects('Service')).map(
    (service) => viewAs('Service', service).spec?.selector,
  )
  const workloads = await world.workloads()
  const largest = Math.max(
    ...workloads
      .filter(({ template }) => hasService(selectors, template))
      .map(({ template }) => requestedCpuOf(template.spec)),
    0.05,
  )
  return workloads.filter(
    ({ template, replicas }) =>
      replicas > 0 && !hasService(selectors, template) && requestedCpuOf(template.spec) > 2 * largest,
  )
}

const hasService = (
  selectors: readonly (Labels | undefined)[],
  { metadata }: WorkloadView['template'],
): boolean => selectors.some((selector) => isSelected(selector, metadata?.labels ?? {}))

const toFreeNodesHypothesis = (world: World, pod: PodView, batch: readonly WorkloadView[]): Hypothesis => {
  const names = batch.map(({ name }) => name)
  const reservations = batch.map(
    ({ kind, name, template }) =>
      `${kind} ${name} reserves ${Math.round(requestedCpuOf(template.spec) * 1000)}m of CPU, and no Service selects it`,
  )
  return {
    ...({ runbook: 'unschedulable', layer: 'virtualisation', type: 'capacity-shortage' } as const),
    services: [pod.service, ...new Set(batch.map(({ service }) => service))],
    score: 0.95,
    mayBeTransient: false,
    claim: `Batch workloads (${names.join(', ')}) reserve the nodes, so ${pod.name} cannot be scheduled.`,
    evidence: [`pod ${pod.name}: ${pod.schedulingFailure}`, ...reservations.slice(0, 3)],
    fix: {
      plan: `Scale ${names.join(', ')} to zero: they serve no requests, and can be scaled up again later.`,
      services: [pod.service],
      playbook: toPlaybook('Free the nodes for the services', [
        patchAllTask(
          'Scale the batch workloads to zero',
          batch.map(({ kind, name }) => ({
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
  about: 'pods that cannot be scheduled: cordoned nodes, or nodes reserved by batch workloads',
  categories: ['pod-fail'],
  async diagnose(world, focus) {
    const pending = (await world.pods()).filter(
      ({ schedulingFailure, service }) => schedulingFailure !== undefined && isInFocus(focus, service),
    )
    const [pod] = pending
    if (pod === undefined) return []
    const cordoned = (await world.objects('Node')).filter(isCordoned)
    if (/unschedulable/.test(pod.schedulingFailure ?? '') && cordoned.length > 0)
      return [toUncordonHypothesis(pod, cordoned)]
    const batch = /Insufficient/.test(pod.schedulingFailure ?? '') ? await listBatchWorkloads(world) : []
    return batch.length === 0 ? [] : [toFreeNodesHypothesis(world, pod, batch)]
  },
})
