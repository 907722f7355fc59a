/** Finds environment variables that hold the address of an upstream. */
import { environmentOf, textOf } from '#exam/effects'
import {
  type ApiObject,
  type ContainerView,
  type FaultCase,
  type FaultTarget,
  type ObjectsView,
  type SystemView,
  viewAs,
} from '#spec'
import { servicesOf } from '../network/services.ts'
import { isResolvedByDns, neededEdges } from '../usage/needed-edges.ts'
import { mainContainer, mainContainerIn } from './containers.ts'
import { isEditable } from './restore-workload.ts'

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
  faultCase: FaultCase,
  objects: ObjectsView,
): string | undefined => {
  const { system, target } = faultCase
  const environment = environmentOf(objects, mainContainerIn(workload, faultCase) ?? {})
  const value = textOf(environment[String(target.variable)], [String(target.value)])
  return value === undefined ? undefined : shortAddress(system, value)
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
