/** Summarises an object in one line, and reports whether it is healthy. */
import { type ApiObject, type KubeKinds, type KubeObject, type ScalableKind, viewAs } from '#spec'

type ContainerStatus = NonNullable<NonNullable<KubeObject<'Pod'>['status']>['containerStatuses']>[number]

const summariseStatus = ({ state, lastState, name, restartCount }: ContainerStatus): string => {
  const waiting = state?.waiting?.reason
  const terminated = state?.terminated ?? lastState?.terminated
  return [
    ...(waiting === undefined ? [] : [`${name} waiting: ${waiting}`]),
    ...(terminated?.reason === undefined
      ? []
      : [`${name} last terminated: ${terminated.reason}, exit code ${terminated.exitCode}`]),
    ...(restartCount > 0 ? [`${restartCount} ${restartCount === 1 ? 'restart' : 'restarts'}`] : []),
  ].join(', ')
}

const summarisePod = ({ metadata, spec, status }: KubeObject<'Pod'>): string => {
  const statuses = status?.containerStatuses ?? []
  const ready = statuses.filter((containerStatus) => containerStatus.ready).length
  const unscheduled = status?.conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  )
  return [
    metadata?.deletionTimestamp === undefined ? status?.phase : 'Terminating',
    `${ready}/${spec?.containers.length ?? 0} ready`,
    ...statuses.map(summariseStatus).filter((text) => text !== ''),
    ...(unscheduled?.message === undefined ? [] : [unscheduled.message]),
    spec?.nodeName === undefined ? 'not scheduled' : `on ${spec.nodeName}`,
  ].join(', ')
}

const imagesOf = ({ spec }: KubeObject<ScalableKind | 'DaemonSet'>): string =>
  (spec?.template?.spec?.containers ?? []).map(({ image }) => image).join(' ')

const summariseReplicas = (object: KubeObject<ScalableKind>): string =>
  `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 1} ready, ${imagesOf(object)}`

const summariseDaemonSet = (object: KubeObject<'DaemonSet'>): string =>
  `${object.status?.numberReady ?? 0}/${object.status?.desiredNumberScheduled ?? 1} ready, ${imagesOf(object)}`

const summariseService = ({ spec }: KubeObject<'Service'>): string => {
  const ports = (spec?.ports ?? []).map(({ port, targetPort }) => `${port}->${targetPort}`)
  return `${spec?.type}, ports ${ports.join(' ')}, selector ${JSON.stringify(spec?.selector ?? {})}`
}

/** Lists what is wrong with a node, in one or two words each. */
const listNodeProblems = ({ spec, status }: KubeObject<'Node'>): string[] => {
  const unhealthyTypes = (status?.conditions ?? [])
    .filter(({ type, status: value }) => (type === 'Ready' ? value !== 'True' : value === 'True'))
    .map(({ type }) => type)
  return [
    ...(unhealthyTypes.includes('Ready') ? ['NotReady'] : []),
    ...(spec?.unschedulable === true ? ['cordoned'] : []),
    ...unhealthyTypes.filter((type) => type !== 'Ready'),
    ...(spec?.taints ?? []).map(({ key, effect }) => `taint ${key}:${effect}`),
  ]
}

const summariseNode = (node: KubeObject<'Node'>): string => {
  const problems = listNodeProblems(node)
  const { cpu, memory } = node.status?.allocatable ?? {}
  return [...(problems[0] === 'NotReady' ? [] : ['Ready']), ...problems, `cpu ${cpu}, memory ${memory}`].join(
    ', ',
  )
}

const summariseAutoscaler = ({ spec, status }: KubeObject<'HorizontalPodAutoscaler'>): string =>
  `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}, ${spec?.minReplicas ?? 1} to ${spec?.maxReplicas} replicas, current ${status?.currentReplicas ?? 'unknown'}`

const listKeys = ({ data }: { readonly data?: object }): string =>
  `keys ${Object.keys(data ?? {}).join(', ') || 'none'}`

const summarisePolicy = ({ spec }: KubeObject<'NetworkPolicy'>): string => {
  const [ingress = [], egress = []] = [spec?.ingress, spec?.egress]
  return `pod selector ${JSON.stringify(spec?.podSelector)}, ${(spec?.policyTypes ?? []).join(' ')}, ${ingress.length} ingress and ${egress.length} egress rules`
}

const summariseEndpoints = ({ subsets }: KubeObject<'Endpoints'>): string => {
  const addresses = (subsets ?? []).flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip))
  return `addresses ${addresses.join(' ') || 'none'}`
}

const SUMMARIES: { readonly [K in keyof KubeKinds]?: (object: KubeObject<K>) => string } = {
  Pod: summarisePod,
  Service: summariseService,
  Endpoints: summariseEndpoints,
  EndpointSlice: ({ endpoints }) => `${(endpoints ?? []).length} endpoints`,
  Node: summariseNode,
  Deployment: summariseReplicas,
  StatefulSet: summariseReplicas,
  ReplicaSet: summariseReplicas,
  DaemonSet: summariseDaemonSet,
  HorizontalPodAutoscaler: summariseAutoscaler,
  ConfigMap: listKeys,
  Secret: listKeys,
  ResourceQuota: ({ status }) => `used ${JSON.stringify(status?.used)} of ${JSON.stringify(status?.hard)}`,
  LimitRange: ({ spec }) => JSON.stringify(spec?.limits),
  NetworkPolicy: summarisePolicy,
  PersistentVolumeClaim: ({ spec, status }) =>
    `${status?.phase}, ${status?.capacity?.storage ?? spec?.resources?.requests?.storage}`,
  Event: ({ type, reason, message, involvedObject }) =>
    `${type} ${reason} ${involvedObject?.kind}/${involvedObject?.name}: ${message}`,
}

const summariseKind = (object: ApiObject): string | undefined => {
  const summariseObject = SUMMARIES[object.kind as keyof KubeKinds] as
    | ((object: unknown) => string)
    | undefined
  return summariseObject?.(object)
}

/** Returns `name: summary`, or the name if the kind has no summary. */
export const summarise = (object: ApiObject): string => {
  const summary = summariseKind(object)
  return summary === undefined ? object.metadata.name : `${object.metadata.name}: ${summary}`
}

/** Whether a pod, node, Deployment or StatefulSet has a visible problem; false for other kinds. */
export const isUnhealthy = (object: ApiObject): boolean => {
  if (object.kind === 'Pod') {
    const conditions = viewAs('Pod', object).status?.conditions ?? []
    return !conditions.some(
      ({ type, status, reason }) => type === 'Ready' && (status === 'True' || reason === 'PodCompleted'),
    )
  }
  if (object.kind === 'Node') return listNodeProblems(viewAs('Node', object)).length > 0
  if (!['Deployment', 'StatefulSet'].includes(object.kind)) return false
  const { spec, status } = viewAs('Deployment', object)
  return (status?.readyReplicas ?? 0) < Math.max(1, spec?.replicas ?? 1)
}
