/** One line that says how an object is, and whether that is as it should be. */
import type { ApiObject } from '../spec/index.ts'

/** Whatever is where somebody wrote it: objects come from the API, and are as it lets them be. */
type Fields = any

const summariseStatus = ({ state, lastState, name, restartCount }: Fields): string => {
  const waiting = state?.waiting?.reason
  const ended = state?.terminated?.reason ?? lastState?.terminated?.reason
  const code = state?.terminated?.exitCode ?? lastState?.terminated?.exitCode
  return [
    ...(waiting === undefined ? [] : [`${name} waits: ${waiting}`]),
    ...(ended === undefined ? [] : [`${name} ended last: ${ended}, exit code ${code}`]),
    ...(restartCount > 0 ? [`${restartCount} restarts`] : []),
  ].join(', ')
}

const summarisePod = ({ metadata, spec, status }: Fields): string => {
  const all: Fields[] = status?.containerStatuses ?? []
  const ready = all.filter((one) => one.ready).length
  const unscheduled = status?.conditions?.find(
    (one: Fields) => one.type === 'PodScheduled' && one.status === 'False',
  )
  return [
    metadata.deletionTimestamp === undefined ? status?.phase : 'Terminating',
    `${ready}/${spec.containers.length} ready`,
    ...all.map(summariseStatus).filter((text) => text !== ''),
    ...(unscheduled?.message === undefined ? [] : [unscheduled.message]),
    `on ${spec.nodeName ?? 'no node'}`,
  ].join(', ')
}

const imagesOf = (podSpec: Fields): string =>
  (podSpec?.containers ?? []).map(({ image }: Fields) => image).join(' ')

const summariseWorkload = ({ spec, status }: Fields): string =>
  `${status?.readyReplicas ?? status?.numberReady ?? 0}/${spec?.replicas ?? status?.desiredNumberScheduled ?? 1} ready, ${imagesOf(spec?.template?.spec)}`

const summariseService = ({ spec }: Fields): string =>
  `${spec?.type}, ports ${(spec?.ports ?? []).map(({ port, targetPort }: Fields) => `${port}->${targetPort}`).join(' ')}, selector ${JSON.stringify(spec?.selector ?? {})}`

/** What is not as it should be with a node, in a word or two each. */
const nodeTroubles = ({ spec, status }: Fields): string[] => {
  const bad: string[] = (status?.conditions ?? [])
    .filter(({ type, status: holds }: Fields) => (type === 'Ready' ? holds !== 'True' : holds === 'True'))
    .map(({ type }: Fields) => type)
  return [
    ...(bad.includes('Ready') ? ['NotReady'] : []),
    ...(spec?.unschedulable === true ? ['cordoned'] : []),
    ...bad.filter((type) => type !== 'Ready'),
    ...(spec?.taints ?? []).map(({ key, effect }: Fields) => `taint ${key}:${effect}`),
  ]
}

const summariseNode = ({ spec, status }: Fields): string => {
  const troubles = nodeTroubles({ spec, status })
  return [
    ...(troubles[0] === 'NotReady' ? [] : ['Ready']),
    ...troubles,
    `cpu ${status?.allocatable?.cpu}, memory ${status?.allocatable?.memory}`,
  ].join(', ')
}

const summariseAutoscaler = ({ spec, status }: Fields): string =>
  `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}, ${spec?.minReplicas ?? 1} to ${spec?.maxReplicas} replicas, now ${status?.currentReplicas ?? 'unknown'}`

const keysOf = ({ data }: Fields): string => `keys ${Object.keys(data ?? {}).join(', ') || 'none'}`

const SUMMARIES: Readonly<Record<string, (object: Fields) => string>> = {
  Pod: summarisePod,
  Service: summariseService,
  Node: summariseNode,
  Deployment: summariseWorkload,
  StatefulSet: summariseWorkload,
  ReplicaSet: summariseWorkload,
  DaemonSet: summariseWorkload,
  HorizontalPodAutoscaler: summariseAutoscaler,
  ConfigMap: keysOf,
  Secret: keysOf,
  ResourceQuota: ({ status }) => `used ${JSON.stringify(status?.used)} of ${JSON.stringify(status?.hard)}`,
  LimitRange: ({ spec }) => JSON.stringify(spec?.limits),
  NetworkPolicy: ({ spec }) =>
    `pods ${JSON.stringify(spec?.podSelector)}, ${(spec?.policyTypes ?? []).join(' ')}, ${(spec?.ingress ?? []).length} ingress and ${(spec?.egress ?? []).length} egress rules`,
  PersistentVolumeClaim: ({ spec, status }) =>
    `${status?.phase}, ${status?.capacity?.storage ?? spec?.resources?.requests?.storage}`,
  Event: ({ type, reason, message, involvedObject }) =>
    `${type} ${reason} of ${involvedObject?.kind}/${involvedObject?.name}: ${message}`,
  EndpointSlice: ({ endpoints }) => `${(endpoints ?? []).length} endpoints`,
  Endpoints: ({ subsets }) =>
    `addresses ${(subsets ?? []).flatMap(({ addresses }: Fields) => (addresses ?? []).map(({ ip }: Fields) => ip)).join(' ') || 'none'}`,
}

/** `name: how it is`. */
export const summarise = (object: ApiObject): string => {
  const words = SUMMARIES[object.kind]?.(object)
  return words === undefined ? object.metadata.name : `${object.metadata.name}: ${words}`
}

/** Whether something about it is as it should not be: those come first. */
export const isTroubled = ({ kind, spec, status }: Fields): boolean => {
  if (kind === 'Pod')
    return !(status?.conditions ?? []).some(
      (one: Fields) => one.type === 'Ready' && (one.status === 'True' || one.reason === 'PodCompleted'),
    )
  if (kind === 'Node') return nodeTroubles({ spec, status }).length > 0
  return ['Deployment', 'StatefulSet'].includes(kind)
    ? (status?.readyReplicas ?? 0) < Math.max(1, spec?.replicas ?? 1)
    : false
}
