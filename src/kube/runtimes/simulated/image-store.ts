/** The images that lie on a modelled node, and the registry behind them. */
import { ImagePullError, type NodeImage } from '../../ports/index.ts'
import { fullImageName, imageIdOf } from '../image-name.ts'
import type { ImageModel } from './container-model.ts'

const DEFAULT_SIZE = 50_000_000

export interface ImageStore {
  has(image: string): boolean
  all(): readonly NodeImage[]
  /** Takes the image as the registry has it. Throws ImagePullError in the registry's words. */
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
      const { sizeBytes = DEFAULT_SIZE } = model
      const imageId = imageIdOf(image)
      present.set(name, { names: [imageId, name], sizeBytes })
      return { imageId, size: sizeBytes }
    },
  }
}
