/** A Service of Kubernetes that leads to nobody: its selector finds no pods, or its port is one on which none listens. */
import type { Labels } from '../observe/kube-shapes.ts'
import {
  isLedTo,
  listServices,
  type ServicePort,
  type ServiceView,
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
  said: { readonly claim: string; readonly evidence: string; readonly spec: object; readonly task: string },
): Hypothesis => ({
  ...({ runbook: 'service-routing', layer: 'virtualisation', type: 'misconfiguration' } as const),
  services: [service],
  score: 0.94,
  mayPass: false,
  claim: said.claim,
  evidence: [said.evidence],
  fix: {
    plan: `Correct the Service ${name}; the pods behind it stay as they are.`,
    services: [],
    playbook: toPlaybook(`Let the Service ${name} lead to ${service}`, [
      patchTask(
        said.task,
        { apiVersion: 'v1', kind: 'Service', name, namespace: world.namespace },
        { spec: said.spec },
      ),
    ]),
  },
})

/** How much a Service that finds nobody looks as if it was made for the workload. */
const likeness = (
  { name, selector }: ServiceView,
  { name: workload, service, template }: WorkloadView,
): number => {
  const labels = template.metadata?.labels ?? {}
  const shared = Object.entries(selector).filter(([key, value]) => labels[key] === value).length
  const begins = [workload, service].filter((one) => name === one || name.startsWith(`${one}-`))
  const valued = Object.values(selector).some((value) => value.startsWith(service)) ? service.length : 0
  return 1000 * shared + Math.max(0, valued, ...begins.map(({ length }) => length))
}

const meantFor = (service: ServiceView, workloads: readonly WorkloadView[]): WorkloadView | undefined =>
  workloads
    .map((workload) => ({ workload, score: likeness(service, workload) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)[0]?.workload

const mendSelector = (world: World, service: ServiceView, workload: WorkloadView): Hypothesis => {
  const labels = templateLabels(workload)
  const right: Readonly<Record<string, string | null>> = Object.fromEntries(
    Object.keys(service.selector).map((key) => [key, labels[key] ?? null]),
  )
  const found = Object.values(right).some((value) => value !== null)
  return toHypothesis(world, service, workload, {
    claim: `The Service ${service.name} selects labels that no pod of ${workload.service} has.`,
    evidence: `its selector is ${JSON.stringify(service.selector)}, the pods of ${workload.service} have ${JSON.stringify(labels)}`,
    spec: { selector: found ? right : { ...right, ...(labels as Labels) } },
    task: 'Select the labels that the pods have',
  })
}

interface Listener {
  readonly name?: string
  readonly containerPort: number
}

/** Of what is no TCP manifests often say nothing. */
const isHeard = (
  { port, targetPort = port, protocol = 'TCP' }: ServicePort,
  listeners: readonly Listener[],
): boolean =>
  protocol !== 'TCP' ||
  listeners.some(({ name, containerPort }) => targetPort === containerPort || targetPort === name)

/** The port of the same number, or else the nearest one: a slip is seldom far. */
const rightPort = ({ port, targetPort = port }: ServicePort, listeners: readonly Listener[]): number => {
  const numbers = listeners.map(({ containerPort }) => containerPort)
  if (numbers.includes(port)) return port
  const wrong = Number(targetPort)
  const far = (one: number): number => (Number.isNaN(wrong) ? 0 : Math.abs(one - wrong))
  return [...numbers].sort((one, other) => far(one) - far(other))[0]!
}

const mendPorts = (
  world: World,
  service: ServiceView,
  workload: WorkloadView,
  listeners: readonly Listener[],
): Hypothesis => {
  const deaf = service.ports.filter((port) => !isHeard(port, listeners))
  const ports = service.ports.map((port) =>
    deaf.includes(port) ? { ...port, targetPort: rightPort(port, listeners) } : port,
  )
  const heard = listeners.map(({ containerPort }) => containerPort).join(', ')
  return toHypothesis(world, service, workload, {
    claim: `The Service ${service.name} leads to a port on which pods of ${workload.service} do not listen.`,
    evidence: `it leads to ${deaf.map(({ port, targetPort = port }) => targetPort).join(', ')}, its pods listen on ${heard}`,
    spec: { ports },
    task: 'Lead to the port on which the pods listen',
  })
}

const versionOf = ({ object }: ServiceView): number => Number(object.metadata.resourceVersion ?? 0)

/** One in so many Services may have been changed later. */
const FEW = 0.1

/** Programs listen where no manifest says so: a port is only blamed in a Service that was changed since all were deployed. */
const isNewest = (service: ServiceView, all: readonly ServiceView[]): boolean =>
  all.filter((one) => versionOf(one) > versionOf(service)).length <= Math.max(1, FEW * all.length)

/** Others select the same pods by the same label, which no template has: pods get it while they run, as leaders do. */
const isByRole = (service: ServiceView, workload: WorkloadView, all: readonly ServiceView[]): boolean => {
  const labels = templateLabels(workload)
  const extra = Object.keys(service.selector).filter((key) => labels[key] === undefined)
  const beside = all.filter(({ name, selector }) => {
    const shared = Object.entries(selector).filter(([key]) => labels[key] !== undefined)
    return name !== service.name && shared.length > 0 && shared.every(([key, value]) => labels[key] === value)
  })
  return extra.some((key) => beside.some(({ selector }) => selector[key] !== undefined))
}

const inspect = async (
  world: World,
  service: ServiceView,
  { all, workloads }: { all: readonly ServiceView[]; workloads: readonly WorkloadView[] },
): Promise<Hypothesis | undefined> => {
  const led: WorkloadView[] = []
  for (const workload of workloads) if (await isLedTo(world, service, workload)) led.push(workload)
  const [workload] = led
  if (workload === undefined) {
    const meant = meantFor(service, workloads)
    if (meant === undefined || isByRole(service, meant, all)) return undefined
    return mendSelector(world, service, meant)
  }
  const listeners = workload.template.spec.containers.flatMap(({ ports = [] }) => ports)
  if (listeners.length === 0 || service.ports.every((port) => isHeard(port, listeners))) return undefined
  if (!isNewest(service, all)) return undefined
  return mendPorts(world, service, workload, listeners)
}

export const serviceRouting = defineRunbook({
  name: 'service-routing',
  about: 'a Service whose selector finds no pods, or whose port nobody listens on',
  categories: ['network-loss'],
  async look(world, focus) {
    const workloads = await world.workloads()
    const found: Hypothesis[] = []
    const all = await listServices(world)
    for (const service of all) {
      if (Object.keys(service.selector).length === 0) continue
      const hypothesis = await inspect(world, service, { all, workloads })
      if (hypothesis !== undefined && isInFocus(focus, hypothesis.services[0]!)) found.push(hypothesis)
    }
    return found
  },
})
