/** Fingerprints the programs of a pod or a workload: the images, commands, variables and files in its template. */
import { cachePerObject, isPlainObject } from '#kit'
import { type ApiObject, JUDGING_RULES, type KubeObject, podTemplateOf, viewAs } from '#spec'
import { MAX_TEXT_CHARACTERS, toFingerprint } from '../fingerprint.ts'

type PodSpec = NonNullable<KubeObject<'Pod'>['spec']>
type Container = PodSpec['containers'][number]

/** The first version of the rules in which files, variables from other objects and hooks count. */
const RULES_WITH_FILES = 3
/** The field of the variable that the Job controller adds to pods with an index. */
const INDEX_FIELD = "['batch.kubernetes.io/job-completion-index']"
/** The name prefix and the folder of the volume that the API server adds to pods. */
const TOKEN_VOLUME = 'kube-api-access-'
const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The first version of the rules in which the order of fields does not matter: a patched workload can have another one than its pods. */
const RULES_WITHOUT_ORDER = 7

/** A recorded pod has fingerprints instead of long strings. */
const toRecordedText = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS ? toFingerprint(value) : value

const toOrderedText = (name: string, value: unknown): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : toRecordedText(name, value)

const toInputs = ({
  env = [],
  envFrom = [],
  volumeMounts = [],
  workingDir,
  lifecycle,
}: Container): unknown => [
  env.filter(({ valueFrom }) => valueFrom?.fieldRef?.fieldPath.endsWith(INDEX_FIELD) !== true),
  envFrom,
  volumeMounts.filter(({ mountPath }) => mountPath !== TOKEN_FOLDER),
  workingDir,
  lifecycle,
]

const toIdentity = (container: Container, rules: number): unknown => {
  const { name, image = '', command = [], args = [], env = [] } = container
  return [name, image, command, args, rules < RULES_WITH_FILES ? env : toInputs(container)]
}

/** Leaves out the volumes that the API server and the StatefulSet controller add. */
const toVolumes = (object: ApiObject, { volumes = [] }: PodSpec): readonly unknown[] => {
  const { volumeClaimTemplates = [] } = viewAs('StatefulSet', object).spec ?? {}
  const isClaim = ({ name, persistentVolumeClaim }: (typeof volumes)[number]): boolean =>
    object.kind === 'Pod'
      ? persistentVolumeClaim?.claimName === `${name}-${object.metadata.name}`
      : volumeClaimTemplates.some(({ metadata }) => metadata?.name === name)
  const isToken = ({ name, projected }: (typeof volumes)[number]): boolean =>
    name.startsWith(TOKEN_VOLUME) && projected !== undefined
  return volumes
    .filter((volume) => !isClaim(volume) && !isToken(volume))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

const fingerprintOf = (object: ApiObject, rules: number): string => {
  const spec = object.kind === 'Pod' ? viewAs('Pod', object).spec : podTemplateOf(object)?.spec
  const { initContainers = [], containers = [] } = (spec ?? {}) as Partial<PodSpec>
  const toAll = (list: readonly Container[]): unknown[] =>
    list.map((container) => toIdentity(container, rules))
  const volumes = rules < RULES_WITH_FILES ? [] : [toVolumes(object, (spec ?? {}) as PodSpec)]
  const toText = rules < RULES_WITHOUT_ORDER ? toRecordedText : toOrderedText
  return toFingerprint(JSON.stringify([toAll(initContainers), toAll(containers), ...volumes], toText))
}

const fingerprintsOf = cachePerObject((_: ApiObject) => new Map<number, string>())

/** Versions of objects never change. */
const cachedFingerprintOf = (object: ApiObject, rules: number): string => {
  const fingerprints = fingerprintsOf(object)
  const cached = fingerprints.get(rules) ?? fingerprintOf(object, rules)
  fingerprints.set(rules, cached)
  return cached
}

/** In a record, the ReplicaSet of a Deployment has a fingerprint, made by the rules of that time, instead of its template. */
export const programsOf = (object: ApiObject, rules: number = JUDGING_RULES): string =>
  typeof object.programs === 'string' ? object.programs : cachedFingerprintOf(object, rules)
