/** The images that a node has pulled from the catalogue. */

import { fullImageName, imageIdOf } from '#platform/kube/meta'
import { ImagePullError, type NodeImage } from '#platform/kube/ports'
import type { ImageCatalogue, ImageProgram } from './image-catalogue.ts'

const DEFAULT_SIZE_BYTES = 50_000_000

export interface ImageStore {
  has(image: string): boolean
  all(): readonly NodeImage[]
  /** Throws ImagePullError with containerd's message if the catalogue has no such image. */
  pull(image: string): { imageId: string; size: number }
  program(image: string): ImageProgram | undefined
  /** Removes all images except those with one of these full names. */
  retain(names: ReadonlySet<string>): void
}

export const createImageStore = (catalogue: ImageCatalogue): ImageStore => {
  const present = new Map<string, NodeImage>()
  return {
    has: (image) => present.has(fullImageName(image)),
    all: () => [...present.values()],
    program: (image) => catalogue(fullImageName(image)),
    retain(names) {
      for (const name of [...present.keys()]) if (!names.has(name)) present.delete(name)
    },
    pull(image) {
      const name = fullImageName(image)
      const program = catalogue(name)
      if (program === undefined)
        throw new ImagePullError(
          `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`,
        )
      const { sizeBytes = DEFAULT_SIZE_BYTES } = program
      const imageId = imageIdOf(image)
      present.set(name, { names: [imageId, name], sizeBytes })
      return { imageId, size: sizeBytes }
    },
  }
}
