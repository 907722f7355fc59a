/** What sort of mistake a changed pod template is, by the place that was changed and what has come of it. */
import type { FaultLayer, FaultType } from '../../../spec/index.ts'
import type { PodView } from '../observe/pods.ts'
import type { Difference } from './template-difference.ts'

export interface ChangeClass {
  /** `its image` */
  readonly what: string
  readonly layer: FaultLayer
  readonly type: FaultType
}

/** What has come of a change. */
export interface Outcome {
  /** Those of the workload as it is now. */
  readonly pods: readonly PodView[]
  /** Whether probes find nobody listening. */
  readonly isDeaf: boolean
}

interface Rule extends ChangeClass {
  fits(difference: Difference, outcome: Outcome): boolean
}

const ofContainer =
  (...fields: readonly string[]) =>
  ({ path }: Difference): boolean =>
    /ontainers$/.test(path[1] ?? '') && fields.includes(path[3] ?? '')

const ofPod =
  (...fields: readonly string[]) =>
  ({ path }: Difference): boolean =>
    path[0] === 'spec' && fields.includes(path[1] ?? '')

/** A variable of the environment whose name says what it is for. */
const ofVariable =
  (names: RegExp) =>
  (difference: Difference): boolean =>
    ofContainer('env')(difference) && names.test(difference.path[4] ?? '')

const isImage = ofContainer('image', 'imagePullPolicy')
const waitsForImage = ({ waiting = '' }: PodView): boolean => /Image/.test(waiting)
const crashes = ({ waiting = '', ended }: PodView): boolean =>
  waiting.startsWith('CrashLoopBackOff') || ended === 'Error' || ended === 'OOMKilled'

const speaksOfClaim = ({ is, was }: Difference): boolean =>
  was === undefined && JSON.stringify(is ?? null).includes('persistentVolumeClaim')

/** The first that fits counts: what keeps pods from running comes before what makes them run badly. */
const RULES: readonly Rule[] = [
  {
    what: 'an image that cannot be pulled',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: (difference, { pods }) => isImage(difference) && pods.some(waitsForImage),
  },
  {
    what: 'a release that does not listen where it is asked',
    layer: 'application',
    type: 'misconfiguration',
    fits: (difference, { pods, isDeaf }) =>
      isImage(difference) && isDeaf && pods.some(({ ready }) => !ready) && !pods.some(crashes),
  },
  {
    what: 'a release with a defect',
    layer: 'application',
    type: 'code-defect',
    fits: isImage,
  },
  {
    what: 'a volume whose claim nobody has made',
    layer: 'virtualisation',
    type: 'dependency-problem',
    fits: (difference) => ofPod('volumes')(difference) && speaksOfClaim(difference),
  },
  {
    what: 'its command',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: ofContainer('command', 'args', 'workingDir'),
  },
  {
    what: 'where it may run',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: ofPod('nodeSelector', 'affinity', 'tolerations', 'nodeName', 'topologySpreadConstraints'),
  },
  {
    what: 'how it is probed',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: ofContainer('livenessProbe', 'readinessProbe', 'startupProbe'),
  },
  {
    what: 'the volume that it keeps its data in',
    layer: 'virtualisation',
    type: 'network-storage-issue',
    fits: ofPod('volumes'),
  },
  {
    what: 'the CPU and memory that it may use',
    layer: 'virtualisation',
    type: 'misconfiguration',
    fits: ofContainer('resources'),
  },
  {
    what: 'how its pods resolve names',
    layer: 'network',
    type: 'misconfiguration',
    fits: ofPod('hostAliases', 'dnsPolicy', 'dnsConfig'),
  },
  {
    what: 'the bandwidth that its pods get',
    layer: 'network',
    type: 'misconfiguration',
    fits: ({ path }) => path[1] === 'annotations' && /bandwidth/.test(path[2] ?? ''),
  },
  {
    what: 'how old tokens may be',
    layer: 'application',
    type: 'authentication-issue',
    fits: ofVariable(/JWT|TOKEN|SESSION|MAX_AGE/i),
  },
  {
    what: 'how many connections it takes',
    layer: 'middleware',
    type: 'capacity-shortage',
    fits: ofVariable(/CONNECTIONS?$|POOL/i),
  },
  {
    what: 'how long its cache keeps things',
    layer: 'middleware',
    type: 'misconfiguration',
    fits: ofVariable(/TTL|CACHE|MEMC/i),
  },
]

const OTHER: ChangeClass = { what: 'its settings', layer: 'application', type: 'misconfiguration' }

export const classifyChange = (differences: readonly Difference[], outcome: Outcome): ChangeClass => {
  const rule = RULES.find(({ fits }) => differences.some((difference) => fits(difference, outcome)))
  if (rule === undefined) return OTHER
  const { what, layer, type } = rule
  return { what, layer, type }
}
