/** The images of a simulated node. */

import { fullImageName, imageIdOf } from '#platform/kube/meta'
import { ImagePullError, type NodeImage } from '#platform/kube/ports'
import type { ImageModel } from './container-model.ts'

const DEFAULT_SIZE_BYTES = 50_000_000

export interface ImageStore {
  has(image: string): boolean
  all(): readonly NodeImage[]
  /** Throws ImagePullError with the registry's message. */
  pull(image: string, model: ImageModel | undefined): { imageId: string; size: number }
}

export const createImageStore = (catalogue: (image: string) => ImageModel | undefined): ImageStore => {
  const present = new Map<string, NodeImage>()
  return {
    has: (image) => present.has(fullImageName(image)) || catalogue(image)?.present === true,
    all: () => [...present.values()],
    pull(image, model) {
      const name = fullImageName(image)
      if (model === undefined || model.pullError !== undefined)
        throw new ImagePullError(
          model?.pullError ??
            `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`,
        )
      const { sizeBytes = DEFAULT_SIZE_BYTES } = model
      const imageId = imageIdOf(image)
      present.set(name, { names: [imageId, name], sizeBytes })
      return { imageId, size: sizeBytes }
    },
  }
}
