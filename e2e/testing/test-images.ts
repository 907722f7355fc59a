/** Images that only tests know, as a system without objects: in this form an engine takes images. */
import { defineSystem } from '../../src/spec/index.ts'

/** More than there are minor versions of kubectl. */
const MINORS = 100

export const testImages = defineSystem({
  name: 'test-images',
  about: 'Nothing but images for tests.',
  namespace: 'default',
  manifests: [],
  images: [
    // What the pods of the recorded cluster ran.
    { name: 'busybox:local', command: ['sh'] },
    // One for each kubectl, for tests of what is said of an image that no node has yet.
    ...Array.from({ length: MINORS }, (_, minor) => ({
      name: `seen:${minor}`,
      command: ['sleep', 'infinity'],
    })),
  ],
  entryPoints: [],
})
