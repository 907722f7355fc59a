/** The images of a simulated cluster: those of the system, which can be replaced while it runs, and well-known ones. */
import { defined, lazily } from '#kit'
import type { ProgramImage, ProgramImages } from '#platform/engines/sim/runtime'
import { fullImageName } from '#platform/kube/simulated'
import type { SystemImage } from '#spec'
import { wellKnownPrograms } from './well-known-programs.ts'

export interface SimImages {
  readonly find: ProgramImages
  /** Replaces the images of the system; running containers keep the old ones. */
  set(images: readonly SystemImage[]): void
}

const toProgramImage = (image: SystemImage): ProgramImage => ({
  ...image.simulated,
  ...defined({
    entrypoint: image.entrypoint,
    command: image.command,
    environment: image.environment,
    workingDirectory: image.workingDirectory,
    files: image.files,
  }),
})

const toPrograms = (images: readonly SystemImage[]): ReadonlyMap<string, () => ProgramImage> =>
  new Map(images.map((image) => [fullImageName(image.name), lazily(() => toProgramImage(image))]))

export const createSimImages = (images: readonly SystemImage[]): SimImages => {
  let programs = toPrograms(images)
  return {
    find: (name) => programs.get(name)?.() ?? wellKnownPrograms(name),
    set(list) {
      programs = toPrograms(list)
    },
  }
}
