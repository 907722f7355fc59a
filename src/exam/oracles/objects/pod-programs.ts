/** What runs in a pod, or in the pods of a workload: a fingerprint of the images, commands and variables of all containers. */
import { type ApiObject, podTemplateOf, viewAs } from '#spec'
import { MAX_TEXT_CHARACTERS, toFingerprint } from './fingerprint.ts'

interface Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly unknown[]
}

/** A recorded pod has a fingerprint instead of a text that is too long. */
const toRecordedText = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS ? toFingerprint(value) : value

const toIdentity = ({ name, image = '', command = [], args = [], env = [] }: Container): unknown => [
  name,
  image,
  command,
  args,
  env,
]

const fingerprintOf = (object: ApiObject): string => {
  const spec = object.kind === 'Pod' ? viewAs('Pod', object).spec : podTemplateOf(object)?.spec
  const { initContainers = [], containers = [] } = (spec ?? {}) as {
    readonly initContainers?: readonly Container[]
    readonly containers?: readonly Container[]
  }
  return toFingerprint(
    JSON.stringify([initContainers.map(toIdentity), containers.map(toIdentity)], toRecordedText),
  )
}

/** A record holds a ReplicaSet of a Deployment without its pod template, but with this fingerprint. */
export const programsOf = (object: ApiObject): string =>
  typeof object.programs === 'string' ? object.programs : fingerprintOf(object)
