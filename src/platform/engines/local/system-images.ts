/** The image catalogue of a system, which can be replaced while the cluster runs. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defined, lazily } from '#kit'
import { fullImageName, type ImageCatalogue, type ImageProgram, type ProgramMount } from '#platform/kube'
import type { SystemImage } from '#spec'

export interface SystemImages {
  readonly catalogue: ImageCatalogue
  /** Replaces the images; running containers keep the old ones. */
  set(images: readonly SystemImage[]): void
}

type Programs = ReadonlyMap<string, () => ImageProgram>

/**
 * Writes the files of images below `folder`. Running containers use them, so they stay until the folder is
 * removed with the cluster.
 */
export const createSystemImages = (images: readonly SystemImage[], folder: string): SystemImages => {
  let folderCount = 0
  /** Numbers the folders: containers can see their paths, and descriptive names would reveal the image. */
  const writeFiles = ({ files = {} }: SystemImage): ProgramMount[] => {
    const folders = new Map<string, string>()
    for (const [path, createContent] of Object.entries(files)) {
      const destination = dirname(path)
      const source = folders.get(destination) ?? join(folder, String(folderCount++))
      folders.set(destination, source)
      const file = join(source, basename(path))
      mkdirSync(source, { recursive: true })
      writeFileSync(file, createContent())
      // Set afterwards, because the umask applies to the mode at creation.
      chmodSync(source, 0o755)
      chmodSync(file, 0o644)
    }
    return [...folders].map(([destination, source]) => ({ source, destination }))
  }
  const toProgram = (image: SystemImage, folders: NonNullable<SystemImage['folders']>): ImageProgram => ({
    entrypoint: image.entrypoint ?? [],
    ...defined({
      command: image.command,
      environment: image.environment,
      workingDirectory: image.workingDirectory,
    }),
    mounts: [
      ...Object.entries(folders).map(([destination, source]) => ({ source, destination })),
      ...writeFiles(image),
    ],
  })
  const toPrograms = (list: readonly SystemImage[]): Programs =>
    new Map(
      list.map((image) => {
        // Reading the folders can bundle the program, which must not delay the start of a container.
        const { folders = {} } = image
        return [fullImageName(image.name), lazily(() => toProgram(image, folders))]
      }),
    )
  let programs = toPrograms(images)
  return {
    catalogue: (name) => programs.get(name)?.(),
    set(list) {
      programs = toPrograms(list)
    },
  }
}
