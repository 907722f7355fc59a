/** Converts a topology to Kubernetes objects. */
import type { Deployment, ServiceTopology, Topology } from '#spec'
import { listeningPort } from './listening-port.ts'

/** The metrics port of twins whose protocol is not HTTP. */
const METRICS_PORT = 9464
const SERVICE_PROTOCOLS: readonly string[] = ['http', 'grpc', 'thrift']

type EnvironmentValue = NonNullable<Deployment['env']>[string]

const variableOf = ([name, value]: [string, EnvironmentValue]): object => {
  if (typeof value === 'string') return { name, value }
  const { secret, configMap, field, key } = value
  if (field !== undefined) return { name, valueFrom: { fieldRef: { fieldPath: field } } }
  return {
    name,
    valueFrom:
      secret !== undefined
        ? { secretKeyRef: { name: secret, key } }
        : { configMapKeyRef: { name: configMap, key } },
  }
}

const sourceOf = ({ secret, configMap }: NonNullable<Deployment['envFrom']>[number]): object =>
  secret !== undefined ? { secretRef: { name: secret } } : { configMapRef: { name: configMap } }

/** Drops undefined values and empty lists. */
const omitEmpty = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  )

const containerOf = (name: string, deploy: Deployment): object =>
  omitEmpty({
    name: deploy.container ?? name,
    image: deploy.image,
    command: deploy.command,
    args: deploy.args,
    ports: deploy.ports?.map((containerPort) => ({ containerPort })),
    env: Object.entries(deploy.env ?? {}).map(variableOf),
    envFrom: deploy.envFrom?.map(sourceOf),
    resources: deploy.resources,
    readinessProbe: deploy.readinessProbe,
    livenessProbe: deploy.livenessProbe,
    startupProbe: deploy.startupProbe,
    volumeMounts: deploy.volumeMounts,
    securityContext: deploy.securityContext,
  })

const annotationsOf = ({ behaviour, deploy }: ServiceTopology): Record<string, string> => {
  const listenPort =
    listeningPort(behaviour, deploy as Parameters<typeof listeningPort>[1]) ?? deploy.ports?.[0]
  const port = behaviour.protocol === 'http' ? listenPort : METRICS_PORT
  return { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port) }
}

const workloadOf = (name: string, service: ServiceTopology): object => {
  const { deploy } = service
  const labels = deploy.labels ?? { app: name }
  const isStatefulSet = deploy.kind === 'StatefulSet'
  return {
    apiVersion: 'apps/v1',
    kind: deploy.kind ?? 'Deployment',
    metadata: { name, labels },
    spec: omitEmpty({
      replicas: deploy.replicas ?? 1,
      selector: { matchLabels: labels },
      serviceName: isStatefulSet ? (deploy.services?.[0]?.name ?? name) : undefined,
      podManagementPolicy: isStatefulSet && (deploy.replicas ?? 1) > 1 ? 'Parallel' : undefined,
      volumeClaimTemplates: deploy.volumeClaimTemplates,
      template: {
        metadata: { labels, annotations: annotationsOf(service) },
        spec: omitEmpty({
          serviceAccountName: deploy.serviceAccount,
          terminationGracePeriodSeconds: deploy.terminationGracePeriodSeconds,
          initContainers: deploy.initContainers,
          containers: [containerOf(name, deploy), ...(deploy.sidecars ?? [])],
          volumes: deploy.volumes,
        }),
      },
    }),
  }
}

const kubeServicesOf = ({ deploy }: ServiceTopology): object[] =>
  (deploy.services ?? []).map(({ name, spec }) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: deploy.labels },
    spec,
  }))

/** Dependencies come first: objects, Services, then workloads, and stores before services. */
export const toManifests = ({ objects, services }: Topology): object[] => {
  const entries = Object.entries(services)
  const isStore = ([, { behaviour }]: (typeof entries)[number]): boolean =>
    !SERVICE_PROTOCOLS.includes(behaviour.protocol)
  const ordered = [...entries.filter(isStore), ...entries.filter((entry) => !isStore(entry))]
  return [
    ...objects,
    ...ordered.flatMap(([, service]) => kubeServicesOf(service)),
    ...ordered.map(([name, service]) => workloadOf(name, service)),
  ]
}
