/** Finds a file of a container that is run as a program: scripts, and files that have replaced a program of the image. */
import { posix } from 'node:path'
import { type ProgramFiles, UnsupportedCommand } from '#spec'

/** In the order of a usual PATH. /bin and /sbin are links to the folders in /usr. */
const PROGRAM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

const alternativesOf = (path: string): readonly string[] => {
  const [, folder, name] = /^(?:\/usr)?(\/s?bin)\/([^/]+)$/.exec(path) ?? []
  return folder === undefined ? [path] : [`${folder}/${name}`, `/usr${folder}/${name}`]
}

/** Everything in a program of the image is part of the image: only files that the container has are listed by `statusOf`. */
const isFile = (files: ProgramFiles, path: string): boolean => files.statusOf(path)?.type === 'file'

/**
 * Returns the interpreter of the file with its arguments; undefined if the container has no such file. Throws `UnsupportedCommand` for
 * a file that is not a script with an interpreter.
 */
export const findScript = (
  files: ProgramFiles,
  [name = '', ...args]: readonly string[],
  folder: string,
): readonly string[] | undefined => {
  const paths = name.includes('/')
    ? alternativesOf(posix.resolve('/', folder, name))
    : PROGRAM_FOLDERS.map((each) => `${each}/${name}`)
  const path = paths.find((each) => isFile(files, each))
  if (path === undefined) return undefined
  const [line = ''] = new TextDecoder().decode(files.read(path)).split('\n', 1)
  const [, interpreter, argument] = /^#!\s*(\S+)(?:\s+(\S.*?))?\s*$/.exec(line) ?? []
  if (interpreter === undefined)
    throw new UnsupportedCommand(`the program ${path}, which the container has written`)
  return [interpreter, ...(argument === undefined ? [] : [argument]), path, ...args]
}
