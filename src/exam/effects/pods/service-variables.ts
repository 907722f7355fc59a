/** The variables of Services that the kubelet sets in all containers of a pod. */
import { type KubeObject, type ObjectsView, type PodSpecView, viewAs } from '#spec'

type ServicePort = NonNullable<NonNullable<KubeObject<'Service'>['spec']>['ports']>[number]

const toVariableName = (name: string): string => name.toUpperCase().replaceAll('-', '_')

const variablesOfPort = (prefix: string, address: string, { port, protocol = 'TCP' }: ServicePort) => {
  const link = `${prefix}_PORT_${port}_${protocol}`
  return {
    [link]: `${protocol.toLowerCase()}://${address}:${port}`,
    [`${link}_ADDR`]: address,
    [`${link}_PORT`]: String(port),
    [`${link}_PROTO`]: protocol.toLowerCase(),
  }
}

/** None if the pod disables them. A headless Service has none. */
export const serviceVariablesOf = (
  objects: ObjectsView,
  { enableServiceLinks = true }: Pick<PodSpecView, 'enableServiceLinks'>,
): Readonly<Record<string, string>> => {
  if (!enableServiceLinks) return {}
  const ofServices = objects.list('Service').map((service) => {
    const { clusterIP = 'None', ports = [] } = viewAs('Service', service).spec ?? {}
    const [first] = ports
    if (clusterIP === 'None' || clusterIP === '' || first === undefined) return {}
    const prefix = toVariableName(service.metadata.name)
    const { protocol = 'TCP', port } = first
    const named = ports.flatMap(({ name, port: number }) =>
      name === undefined ? [] : [[`${prefix}_SERVICE_PORT_${toVariableName(name)}`, String(number)]],
    )
    return {
      [`${prefix}_SERVICE_HOST`]: clusterIP,
      [`${prefix}_SERVICE_PORT`]: String(port),
      [`${prefix}_PORT`]: `${protocol.toLowerCase()}://${clusterIP}:${port}`,
      ...Object.fromEntries(named),
      ...Object.assign({}, ...ports.map((declared) => variablesOfPort(prefix, clusterIP, declared))),
    }
  })
  return Object.assign({}, ...ofServices)
}
