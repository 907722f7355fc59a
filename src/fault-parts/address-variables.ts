/** Variables of the environment in which a service finds the address of another one. */
import type { ApiObject, ContainerView, FaultTarget, SystemView } from '../spec/index.ts'
import { mainContainer } from './containers.ts'
import { isByName, neededEdges } from './needed-edges.ts'
import { isEditable } from './restore-workload.ts'

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

/** The Services that lead to a service have its name, or names that begin with it. */
const isNameOf = (host: string, service: string): boolean =>
  host === service || host.startsWith(`${service}-`)

/** `{service: frontend, variable: CART_SERVICE_ADDR, upstream: cartservice, value: 'cartservice:7070'}` */
export const addressVariables = (system: SystemView): readonly FaultTarget[] =>
  neededEdges(system)
    .filter((edge) => isByName(system, edge) && isEditable(system.workloadOf(edge.from)))
    .flatMap(({ from, to }) =>
      variablesOf(system, mainContainer(system, from))
        .filter(({ value }) => isNameOf(value.split(':')[0]!, to))
        .map(({ variable, value }) => ({ service: from, upstream: to, variable, value })),
    )

/** `cartservice` and `7070`; the port is empty where there is none. */
export const splitAddress = (address: unknown): { readonly host: string; readonly port: string } => {
  const [host = '', port = ''] = String(address).split(':')
  return { host, port }
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
