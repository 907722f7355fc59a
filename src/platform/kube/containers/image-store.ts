/** The images that a node has pulled from the catalogue. */

import { fullImageName, imageIdOf } from '#platform/kube/meta'
import { ImagePullError, type NodeImage } from '#platform/kube/ports'

const DEFAULT_SIZE_BYTES = 50_000_000

export interface StoredImage {
  /** Shown by `kubectl describe node`. */
  readonly sizeBytes?: number
}

export interface ImageStore<T extends StoredImage> {
  has(image: string): boolean
  all(): readonly NodeImage[]
  /** Throws ImagePullError with containerd's message if the catalogue has no such image. */
  pull(image: string): { imageId: string; size: number }
  /** The content of an image that exists, whether it has been pulled or not. */
  content(image: string): T | undefined
  /** Removes all images except those with one of these full names. */
  retain(names: ReadonlySet<string>): void
}

/** `catalogue` looks up full names. */
export const createImageStore = <T extends StoredImage>(
  catalogue: (image: string) => T | undefined,
): ImageStore<T> => {
  const present = new Map<string, NodeImage>()
  return {
    has: (image) => present.has(fullImageName(image)),
    all: () => [...present.values()],
    content: (image) => catalogue(fullImageName(image)),
    retain(names) {
      for (const name of [...present.keys()]) if (!names.has(name)) present.delete(name)
    },
    pull(image) {
      const name = fullImageName(image)
      const content = catalogue(name)
      if (content === undefined)
        throw new ImagePullError(
          `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`,
        )
      const { sizeBytes = DEFAULT_SIZE_BYTES } = content
      const imageId = imageIdOf(image)
      present.set(name, { names: [imageId, name], sizeBytes })
      return { imageId, size: sizeBytes }
    },
  }
}
