/** The images of a system, as the runtime looks them up. */
import { fullImageName, type ImageCatalogue, type ImageProgram } from '../../kube/index.ts'
import type { SystemImage } from '../../spec/index.ts'

const toProgram = (image: SystemImage): ImageProgram => ({
  entrypoint: image.entrypoint ?? [],
  ...(image.command === undefined ? {} : { command: image.command }),
  ...(image.environment === undefined ? {} : { environment: image.environment }),
  ...(image.workingDirectory === undefined ? {} : { workingDirectory: image.workingDirectory }),
  mounts: Object.entries(image.folders ?? {}).map(([destination, source]) => ({ source, destination })),
})

export const systemImages = (images: readonly SystemImage[]): ImageCatalogue => {
  const programs = new Map(images.map((image) => [fullImageName(image.name), toProgram(image)]))
  return (name) => programs.get(name)
}
