/** Variables of the environment in which a service finds the address of another one. */
import type { ApiObject, ContainerView, FaultCase, FaultTarget, SystemView } from '../spec/index.ts'
import { mainContainer, podSpecOf } from './containers.ts'
import { isByName, neededEdges } from './needed-edges.ts'
import { isEditable } from './restore-workload.ts'
import { servicesOf } from './services.ts'

interface Variable {
  readonly variable: string
  readonly value: string
}

type Values = Readonly<Record<string, string>>

const keptIn = (system: SystemView, kind: string, name: string | undefined): Values => {
  const found = system.objects.find((one) => one.kind === kind && one.metadata.name === name)
  const { stringData, data } = (found ?? {}) as ApiObject & { stringData?: Values; data?: Values }
  return { ...(kind === 'Secret' ? {} : data), ...stringData }
}

const variablesOf = (system: SystemView, { env = [], envFrom = [] }: ContainerView): readonly Variable[] => [
  ...env.flatMap(({ name, value }) => (value === undefined ? [] : [{ variable: name, value }])),
  ...envFrom.flatMap(({ secretRef, configMapRef }) =>
    Object.entries({
      ...keptIn(system, 'Secret', secretRef?.name),
      ...keptIn(system, 'ConfigMap', configMapRef?.name),
    }).map(([variable, value]) => ({ variable, value })),
  ),
]

/** `{service: frontend, variable: CART_SERVICE_ADDR, upstream: cartservice, value: 'cartservice:7070'}` */
export const addressVariables = (system: SystemView): readonly FaultTarget[] =>
  neededEdges(system)
    .filter((edge) => isByName(system, edge) && isEditable(system.workloadOf(edge.from)))
    .flatMap(({ from, to }) => {
      const names = servicesOf(system, to).map(({ metadata }) => metadata.name)
      return variablesOf(system, mainContainer(system, from))
        .filter(({ value }) => names.includes(splitAddress(value).host))
        .map(({ variable, value }) => ({ service: from, upstream: to, variable, value }))
    })

/** `cartservice` and `7070`; the port is empty where there is none. */
export const splitAddress = (address: unknown): { readonly host: string; readonly port: string } => {
  const [host = '', port = ''] = String(address).split(':')
  return { host, port }
}

/** The address without what only says at length where the system lives: `cart.shop.svc.cluster.local:80` is `cart:80`. */
export const shortAddress = ({ namespace }: SystemView, address: unknown): string => {
  const { host, port } = splitAddress(address)
  const [name, home, ...rest] = host.split('.')
  const isHome = home === namespace && ['', 'svc', 'svc.cluster.local'].includes(rest.join('.'))
  return [isHome ? name : host, ...(port === '' ? [] : [port])].join(':')
}

/**
 * What the variable comes to in the pods of a workload as it is; what the container does not say itself it takes from where it was
 * deployed to take it from.
 */
export const addressIn = (workload: ApiObject, { system, target }: FaultCase): string | undefined => {
  const { name, env: deployed = [] } = mainContainer(system, target.service)
  const { env = [] } = podSpecOf(workload).containers.find((one) => one.name === name) ?? {}
  // Of several the last one counts, as for the kubelet.
  const own = env.findLast((one) => one.name === target.variable)
  const isOwn = own !== undefined || deployed.some((one) => one.name === target.variable)
  const value = isOwn ? own?.value : target.value
  return value === undefined ? undefined : shortAddress(system, value)
}

/** The variable as it is in the manifest's container itself, as a strategic patch of the container. */
export const variableAsDeployed = (system: SystemView, { service, variable }: FaultTarget): object => {
  const { name, env = [] } = mainContainer(system, service)
  const own = env.find((one) => one.name === variable)
  return { containers: [{ name, env: [own ?? { name: variable, $patch: 'delete' }] }] }
}

/** The variable set to a value, as a strategic patch of the pod's spec. */
export const variableSetTo = (
  system: SystemView,
  { service, variable }: FaultTarget,
  value: string,
): object => ({
  containers: [{ name: mainContainer(system, service).name, env: [{ name: variable, value }] }],
})
