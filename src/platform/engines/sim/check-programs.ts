/** Checks before the start of a simulated cluster that the programs of a system have models. */
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { findProgram, type ProgramImages } from '#platform/engines/sim/runtime'
import { commandLineOf, fullImageName } from '#platform/kube/simulated'
import { RemediumError, type SimulatedProgram, type System } from '#spec'

interface Manifest {
  readonly kind?: string
  readonly spec?: PodSpec & {
    readonly template?: { readonly spec?: PodSpec }
    readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } }
  }
}

const containersOf = ({ kind, spec }: Manifest): readonly Container[] => {
  const template = spec?.jobTemplate?.spec?.template ?? spec?.template
  const pod = kind === 'Pod' ? spec : template?.spec
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]
}

/** Returns what has no model, such as `program /bin/x of the image y`. */
const findMissing = (
  container: Container,
  images: ProgramImages,
  everydayPrograms: Readonly<Record<string, SimulatedProgram>>,
): string | undefined => {
  const { image: name = '', workingDir } = container
  const image = images(fullImageName(name))
  if (image === undefined) return `image ${name}`
  const { replacesEntrypoint, program, args } = commandLineOf(container, image)
  if (!replacesEntrypoint && image.main !== undefined) return undefined
  const [path] = [...program, ...args]
  const folder = workingDir || image.workingDirectory || '/'
  if (path === undefined || findProgram(image, everydayPrograms, path, folder) !== undefined) return undefined
  return `program ${path} of the image ${name}`
}

/** Throws an error that names the first image or program without a model: its containers would never be ready. */
export const checkPrograms = (
  { name, manifests }: System,
  images: ProgramImages,
  everydayPrograms: Readonly<Record<string, SimulatedProgram>>,
): void => {
  for (const container of (manifests as readonly Manifest[]).flatMap(containersOf)) {
    const missing = findMissing(container, images, everydayPrograms)
    if (missing !== undefined)
      throw new RemediumError(
        'unsupported',
        `The system ${name} cannot be simulated: there is no model of the ${missing}.`,
        { hint: 'Use the engine local.' },
      )
  }
}
