/** The images that lie on a node: those of the catalogue that were asked for. */
import { ImagePullError, type NodeImage } from '../../ports/index.ts'
import { fullImageName, imageIdOf } from '../image-name.ts'
import type { ImageCatalogue, ImageProgram } from './image-catalogue.ts'

const DEFAULT_SIZE = 50_000_000

export interface ImageStore {
  has(image: string): boolean
  all(): readonly NodeImage[]
  /** Takes the image from the catalogue. Throws ImagePullError, as containerd words it, where it has none. */
  pull(image: string): { imageId: string; size: number }
  program(image: string): ImageProgram | undefined
}

export const createImageStore = (catalogue: ImageCatalogue): ImageStore => {
  const present = new Map<string, NodeImage>()
  return {
    has: (image) => present.has(fullImageName(image)),
    all: () => [...present.values()],
    program: (image) => catalogue(fullImageName(image)),
    pull(image) {
      const name = fullImageName(image)
      const program = catalogue(name)
      if (program === undefined)
        throw new ImagePullError(
          `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`,
        )
      const { sizeBytes = DEFAULT_SIZE } = program
      const imageId = imageIdOf(image)
      present.set(name, { names: [imageId, name], sizeBytes })
      return { imageId, size: sizeBytes }
    },
  }
}
