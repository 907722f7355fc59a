/** The programs that images of ours stand for: each runs by itself in a container, with nothing but Node. */
import { fileURLToPath } from 'node:url'

/** Where on this machine the program lies, a single file: `web-server`. */
export const programPath = (name: string): string => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
