/** The images for tests. An engine gets images from a system, so this is a system without objects. */
import { defineSystem } from '#spec'

/** Higher than every minor version of kubectl. */
const MAX_MINORS = 100

export const testImages = defineSystem({
  name: 'test-images',
  about: 'Provides images for tests.',
  namespace: 'default',
  manifests: [],
  images: [
    // The image of the recorded cluster.
    { name: 'busybox:local', command: ['sh'] },
    // One image for each kubectl, for tests that need an image that no node has pulled yet.
    ...Array.from({ length: MAX_MINORS }, (_, minor) => ({
      name: `seen:${minor}`,
      command: ['sleep', 'infinity'],
    })),
  ],
  entryPoints: [],
})
