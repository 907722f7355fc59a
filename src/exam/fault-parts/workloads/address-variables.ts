/** Finds environment variables that hold the address of an upstream. */
import { environmentOf, leadsWithin, serviceAt, serviceVariablesOf, textOf } from '#exam/effects'
import {
  type ApiObject,
  type CauseSnapshot,
  type ContainerView,
  type FaultCase,
  type FaultTarget,
  JUDGING_RULES,
  type ObjectsView,
  type SystemView,
  viewAs,
} from '#spec'
import { servicesOf } from '../network/services.ts'
import { isResolvedByDns, neededEdges } from '../usage/needed-edges.ts'
import { mainContainer, mainContainerIn, podSpecOf, workloadIn } from './containers.ts'
import { isEditable } from './restore-workload.ts'

/** The first version of the rules that compares the endpoints of addresses; before, only their text was compared. */
const RULES_WITH_ENDPOINTS = 6
/** The first version of the rules that expands the variables of Services. */
const RULES_WITH_SERVICE_VARIABLES = 7

interface Variable {
  readonly variable: string
  readonly value: string
}

type Values = Readonly<Record<string, string>>

const dataOf = (system: SystemView, kind: string, name: string | undefined): Values => {
  const object = system.objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (object === undefined) return {}
  return kind === 'Secret'
    ? (viewAs('Secret', object).stringData ?? {})
    : (viewAs('ConfigMap', object).data ?? {})
}

const variablesOf = (system: SystemView, { env = [], envFrom = [] }: ContainerView): readonly Variable[] => [
  ...env.flatMap(({ name, value }) => (value === undefined ? [] : [{ variable: name, value }])),
  ...envFrom.flatMap(({ secretRef, configMapRef }) =>
    Object.entries({
      ...dataOf(system, 'Secret', secretRef?.name),
      ...dataOf(system, 'ConfigMap', configMapRef?.name),
    }).map(([variable, value]) => ({ variable, value })),
  ),
]

/** Targets such as `{service: frontend, variable: CART_SERVICE_ADDR, upstream: cartservice, value: 'cartservice:7070'}`. */
export const addressVariables = (system: SystemView): readonly FaultTarget[] =>
  neededEdges(system)
    .filter((edge) => isResolvedByDns(system, edge) && isEditable(system.workloadOf(edge.from)))
    .flatMap(({ from, to }) => {
      const names = servicesOf(system, to).map(({ metadata }) => metadata.name)
      return variablesOf(system, mainContainer(system, from))
        .filter(({ value }) => names.includes(splitAddress(value).host))
        .map(({ variable, value }) => ({ service: from, upstream: to, variable, value }))
    })

/** Splits `cartservice:7070` into host and port; the port may be empty. */
export const splitAddress = (address: unknown): { readonly host: string; readonly port: string } => {
  const [host = '', port = ''] = String(address).split(':')
  return { host, port }
}

/** Shortens DNS names in the system's namespace: `cart.shop.svc.cluster.local:80` becomes `cart:80`. */
export const shortAddress = ({ namespace }: SystemView, address: unknown): string => {
  const { host, port } = splitAddress(address)
  const [name, hostNamespace, ...rest] = host.split('.')
  const isInNamespace =
    hostNamespace === namespace && ['', 'svc', 'svc.cluster.local'].includes(rest.join('.'))
  return [isInNamespace ? name : host, ...(port === '' ? [] : [port])].join(':')
}

/** The shortened address in the target's variable, in the pods of a workload, regardless of its source. */
export const addressIn = (
  workload: ApiObject,
  faultCase: FaultCase & Pick<CauseSnapshot, 'rules'>,
  objects: ObjectsView,
): string | undefined => {
  const { system, target, rules = JUDGING_RULES } = faultCase
  const services =
    rules < RULES_WITH_SERVICE_VARIABLES ? {} : serviceVariablesOf(objects, podSpecOf(workload))
  const environment = environmentOf(objects, mainContainerIn(workload, faultCase) ?? {}, services)
  const value = textOf(environment[String(target.variable)], [String(target.value)])
  return value === undefined ? undefined : shortAddress(system, value)
}

/**
 * Whether an address leads to the same endpoints as the deployed one, or to some of them, by a Service that existed before the fault:
 * another Service of the same pods, the cluster IP, or the full name with a dot at its end.
 */
export const leadsToDeployed = (
  { system, baseline, now, rules = JUDGING_RULES }: CauseSnapshot,
  address: unknown,
  deployed: unknown,
): boolean => {
  if (rules < RULES_WITH_ENDPOINTS || typeof address !== 'string' || typeof deployed !== 'string')
    return false
  const [current, reference] = [splitAddress(address), splitAddress(deployed)]
  const found = serviceAt(now, system.namespace, current.host)
  return (
    found !== undefined &&
    baseline.get('Service', found.name) !== undefined &&
    leadsWithin(now, system.namespace, { address: current, reference })
  )
}

/** Whether the address in the target's variable leads to the upstream. */
export const leadsToUpstream = (address: unknown, snapshot: CauseSnapshot): boolean => {
  const { system, target, baseline } = snapshot
  const workload = workloadIn(baseline, system.workloadOf(target.service))
  return leadsToDeployed(snapshot, address, workload && addressIn(workload, snapshot, baseline))
}

/** A strategic patch of the pod spec that restores the variable as deployed. */
export const variableAsDeployed = (system: SystemView, { service, variable }: FaultTarget): object => {
  const { name, env = [] } = mainContainer(system, service)
  const declaration = env.find((candidate) => candidate.name === variable)
  return { containers: [{ name, env: [declaration ?? { name: variable, $patch: 'delete' }] }] }
}

/** A strategic patch of the pod spec that sets the variable. */
export const variableSetTo = (
  system: SystemView,
  { service, variable }: FaultTarget,
  value: string,
): object => ({
  containers: [{ name: mainContainer(system, service).name, env: [{ name: variable, value }] }],
})
