/** The programs of Remedium's images. Each is a single file that runs in a container with only Node. */
import { fileURLToPath } from 'node:url'

/** The path of a program on this machine, such as `web-server`. */
export const programPath = (name: string): string => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
