/** Images for tests, as a system without objects, which is how an engine gets images. */
import { defineSystem } from '#spec'

/** More than the minor versions of kubectl. */
const MAX_MINORS = 100

export const testImages = defineSystem({
  name: 'test-images',
  about: 'Nothing but images for tests.',
  namespace: 'default',
  manifests: [],
  images: [
    // The images of the recorded cluster.
    { name: 'busybox:local', command: ['sh'] },
    // One for each kubectl, for tests with an image that no node has pulled yet.
    ...Array.from({ length: MAX_MINORS }, (_, minor) => ({
      name: `seen:${minor}`,
      command: ['sleep', 'infinity'],
    })),
  ],
  entryPoints: [],
})
