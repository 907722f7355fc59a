/** Runbook for a Service without working endpoints: corrects a selector that selects no pods, or a wrong target port. */
import type { Labels } from '../observe/kube-views.ts'
import {
  listServices,
  type ServicePort,
  type ServiceView,
  selectsPodsOf,
  templateLabels,
} from '../observe/services.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

const toHypothesis = (
  world: World,
  { name }: ServiceView,
  { service }: WorkloadView,
  diagnosis: {
    readonly claim: string
    readonly evidence: string
    readonly spec: object
    readonly task: string
  },
): Hypothesis => ({
  ...({ runbook: 'service-routing', layer: 'virtualisation', type: 'misconfiguration' } as const),
  services: [service],
  score: 0.94,
  mayBeTransient: false,
  claim: diagnosis.claim,
  evidence: [diagnosis.evidence],
  fix: {
    plan: `Correct the Service ${name}. Its pods are not changed.`,
    services: [],
    playbook: toPlaybook(`Correct the Service ${name}`, [
      patchTask(
        diagnosis.task,
        { apiVersion: 'v1', kind: 'Service', name, namespace: world.namespace },
        { spec: diagnosis.spec },
      ),
    ]),
  },
})

/** How similar a Service without pods is to a workload. */
const similarityOf = (
  { name, selector }: ServiceView,
  { name: workload, service, template }: WorkloadView,
): number => {
  const labels = template.metadata?.labels ?? {}
  const shared = Object.entries(selector).filter(([key, value]) => labels[key] === value).length
  const prefixes = [workload, service].filter(
    (candidate) => name === candidate || name.startsWith(`${candidate}-`),
  )
  const selectorMatch = Object.values(selector).some((value) => value.startsWith(service))
    ? service.length
    : 0
  return 1000 * shared + Math.max(0, selectorMatch, ...prefixes.map(({ length }) => length))
}

const findIntendedWorkload = (
  service: ServiceView,
  workloads: readonly WorkloadView[],
): WorkloadView | undefined =>
  workloads
    .map((workload) => ({ workload, score: similarityOf(service, workload) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)[0]?.workload

const repairSelector = (world: World, service: ServiceView, workload: WorkloadView): Hypothesis => {
  const labels = templateLabels(workload)
  const correctSelector: Readonly<Record<string, string | null>> = Object.fromEntries(
    Object.keys(service.selector).map((key) => [key, labels[key] ?? null]),
  )
  const hasCommonKey = Object.values(correctSelector).some((value) => value !== null)
  return toHypothesis(world, service, workload, {
    claim: `The Service ${service.name} selects labels that no pod of ${workload.service} has.`,
    evidence: `its selector is ${JSON.stringify(service.selector)}, the pods of ${workload.service} have ${JSON.stringify(labels)}`,
    spec: { selector: hasCommonKey ? correctSelector : { ...correctSelector, ...(labels as Labels) } },
    task: 'Select the labels of the pods',
  })
}

interface Listener {
  readonly name?: string
  readonly containerPort: number
}

/** Manifests often omit ports that do not use TCP. */
const hasListener = (
  { port, targetPort = port, protocol = 'TCP' }: ServicePort,
  listeners: readonly Listener[],
): boolean =>
  protocol !== 'TCP' ||
  listeners.some(({ name, containerPort }) => targetPort === containerPort || targetPort === name)

/** Returns the container port that equals the port of the Service, or else the one nearest to the wrong target port. */
const findIntendedPort = (
  { port, targetPort = port }: ServicePort,
  listeners: readonly Listener[],
): number => {
  const numbers = listeners.map(({ containerPort }) => containerPort)
  if (numbers.includes(port)) return port
  const wrongPort = Number(targetPort)
  const distanceTo = (candidate: number): number =>
    Number.isNaN(wrongPort) ? 0 : Math.abs(candidate - wrongPort)
  return [...numbers].sort((a, b) => distanceTo(a) - distanceTo(b))[0]!
}

const repairPorts = (
  world: World,
  service: ServiceView,
  workload: WorkloadView,
  listeners: readonly Listener[],
): Hypothesis => {
  const wrongPorts = service.ports.filter((port) => !hasListener(port, listeners))
  const ports = service.ports.map((port) =>
    wrongPorts.includes(port) ? { ...port, targetPort: findIntendedPort(port, listeners) } : port,
  )
  const containerPorts = listeners.map(({ containerPort }) => containerPort).join(', ')
  return toHypothesis(world, service, workload, {
    claim: `The Service ${service.name} has a target port on which the pods of ${workload.service} do not listen.`,
    evidence: `its target port is ${wrongPorts.map(({ port, targetPort = port }) => targetPort).join(', ')}, its pods listen on ${containerPorts}`,
    spec: { ports },
    task: 'Use the port on which the pods listen',
  })
}

const versionOf = ({ object }: ServiceView): number => Number(object.metadata.resourceVersion ?? 0)

/** A Service counts as recently changed if at most this share of Services were changed after it. */
const MAX_NEWER_SHARE = 0.1

/**
 * Programs may listen on undeclared ports, so a port is considered wrong only in a Service that was
 * changed after the deployment.
 */
const isRecentlyChanged = (service: ServiceView, services: readonly ServiceView[]): boolean =>
  services.filter((candidate) => versionOf(candidate) > versionOf(service)).length <=
  Math.max(1, MAX_NEWER_SHARE * services.length)

/**
 * Whether the selector is for a role such as leader, whose label pods get at run time. In that case,
 * other Services select the same pods with another value of the label.
 */
const isRoleSelector = (
  service: ServiceView,
  workload: WorkloadView,
  services: readonly ServiceView[],
): boolean => {
  const labels = templateLabels(workload)
  const undeclaredKeys = Object.keys(service.selector).filter((key) => labels[key] === undefined)
  const siblings = services.filter(({ name, selector }) => {
    const shared = Object.entries(selector).filter(([key]) => labels[key] !== undefined)
    return name !== service.name && shared.length > 0 && shared.every(([key, value]) => labels[key] === value)
  })
  return undeclaredKeys.some((key) => siblings.some(({ selector }) => selector[key] !== undefined))
}

const inspect = async (
  world: World,
  service: ServiceView,
  { services, workloads }: { services: readonly ServiceView[]; workloads: readonly WorkloadView[] },
): Promise<Hypothesis | undefined> => {
  const selected: WorkloadView[] = []
  for (const workload of workloads) if (await selectsPodsOf(world, service, workload)) selected.push(workload)
  const [workload] = selected
  if (workload === undefined) {
    const intended = findIntendedWorkload(service, workloads)
    if (intended === undefined || isRoleSelector(service, intended, services)) return undefined
    return repairSelector(world, service, intended)
  }
  const listeners = workload.template.spec.containers.flatMap(({ ports = [] }) => ports)
  if (listeners.length === 0 || service.ports.every((port) => hasListener(port, listeners))) return undefined
  if (!isRecentlyChanged(service, services)) return undefined
  return repairPorts(world, service, workload, listeners)
}

export const serviceRouting = defineRunbook({
  name: 'service-routing',
  about: 'a Service whose selector selects no pods, or on whose port no pod listens',
  categories: ['network-loss'],
  async diagnose(world, focus) {
    const workloads = await world.workloads()
    const hypotheses: Hypothesis[] = []
    const services = await listServices(world)
    for (const service of services) {
      if (Object.keys(service.selector).length === 0) continue
      const hypothesis = await inspect(world, service, { services, workloads })
      if (hypothesis !== undefined && isInFocus(focus, hypothesis.services[0]!)) hypotheses.push(hypothesis)
    }
    return hypotheses
  },
})
