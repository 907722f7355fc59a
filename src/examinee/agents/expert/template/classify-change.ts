/** Classifies a change to a pod template by the changed field and its outcome. */
import type { FaultLayer, FaultType } from '#spec'
import type { PodView } from '../observe/pods.ts'
import type { Difference } from './template-difference.ts'

export interface ChangeClass {
  /** The changed part, such as `the probes`. */
  readonly changedPart: string
  readonly layer: FaultLayer
  readonly type: FaultType
}

/** The state of the workload after a change. */
export interface Outcome {
  /** The current pods of the workload. */
  readonly pods: readonly PodView[]
  /** Whether probes cannot connect. */
  readonly isNotListening: boolean
}

interface Rule extends ChangeClass {
  fits(difference: Difference, outcome: Outcome): boolean
}

const isContainerField =
  (...fields: readonly string[]) =>
  ({ path }: Difference): boolean =>
    /ontainers$/.test(path[1] ?? '') && fields.includes(path[3] ?? '')

const isPodField =
  (...fields: readonly string[]) =>
  ({ path }: Difference): boolean =>
    path[0] === 'spec' && fields.includes(path[1] ?? '')

/** Matches environment variables by name. */
const isVariable =
  (names: RegExp) =>
  (difference: Difference): boolean =>
    isContainerField('env')(difference) && names.test(difference.path[4] ?? '')

const changesImage = isContainerField('image', 'imagePullPolicy')
const waitsForImage = ({ waitingReason = '' }: PodView): boolean => /Image/.test(waitingReason)
const crashes = ({ waitingReason = '', terminationReason }: PodView): boolean =>
  waitingReason.startsWith('CrashLoopBackOff') ||
  terminationReason === 'Error' ||
  terminationReason === 'OOMKilled'

const addsClaim = ({ now, before }: Difference): boolean =>
  before === undefined && JSON.stringify(now ?? null).includes('persistentVolumeClaim')

/** The first match is used: faults that prevent pods from running come before faults that degrade them. */
const RULES: readonly Rule[] = [
  {
    changedPart: 'the image to one that cannot be pulled',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: (difference, { pods }) => changesImage(difference) && pods.some(waitsForImage),
  },
  {
    changedPart: 'the image to a release that listens on another port',
    layer: 'application',
    type: 'misconfiguration',
    fits: (difference, { pods, isNotListening }) =>
      changesImage(difference) &&
      isNotListening &&
      pods.some(({ isReady }) => !isReady) &&
      !pods.some(crashes),
  },
  {
    changedPart: 'the image to a release with a defect',
    layer: 'application',
    type: 'code-defect',
    fits: changesImage,
  },
  {
    changedPart: 'a volume to one whose claim does not exist',
    layer: 'virtualisation',
    type: 'dependency-problem',
    fits: (difference) => isPodField('volumes')(difference) && addsClaim(difference),
  },
  {
    changedPart: 'the command',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: isContainerField('command', 'args', 'workingDir'),
  },
  {
    changedPart: 'the scheduling constraints',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: isPodField('nodeSelector', 'affinity', 'tolerations', 'nodeName', 'topologySpreadConstraints'),
  },
  {
    changedPart: 'the probes',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: isContainerField('livenessProbe', 'readinessProbe', 'startupProbe'),
  },
  {
    changedPart: 'the data volume',
    layer: 'virtualisation',
    type: 'network-storage-issue',
    fits: isPodField('volumes'),
  },
  {
    changedPart: 'the resource requests and limits',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: isContainerField('resources'),
  },
  {
    changedPart: 'the name resolution of its pods',
    layer: 'network',
    type: 'misconfiguration',
    fits: isPodField('hostAliases', 'dnsPolicy', 'dnsConfig'),
  },
  {
    changedPart: 'the bandwidth of its pods',
    layer: 'network',
    type: 'misconfiguration',
    fits: ({ path }) => path[1] === 'annotations' && /bandwidth/.test(path[2] ?? ''),
  },
  {
    changedPart: 'the maximum age of tokens',
    layer: 'application',
    type: 'authentication-issue',
    fits: isVariable(/JWT|TOKEN|SESSION|MAX_AGE/i),
  },
  {
    changedPart: 'the maximum number of connections',
    layer: 'middleware',
    type: 'capacity-shortage',
    fits: isVariable(/CONNECTIONS?$|POOL/i),
  },
  {
    changedPart: 'the cache settings',
    layer: 'middleware',
    type: 'misconfiguration',
    fits: isVariable(/TTL|CACHE|MEMC/i),
  },
]

const DEFAULT_CLASS: ChangeClass = {
  changedPart: 'the settings',
  layer: 'application',
  type: 'misconfiguration',
}

export const classifyChange = (differences: readonly Difference[], outcome: Outcome): ChangeClass => {
  const rule = RULES.find(({ fits }) => differences.some((difference) => fits(difference, outcome)))
  if (rule === undefined) return DEFAULT_CLASS
  const { changedPart, layer, type } = rule
  return { changedPart, layer, type }
}
