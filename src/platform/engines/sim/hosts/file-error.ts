/** The errors of file operations, with the codes and messages that Node.js reports for the errors of the operating system. */
import { getSystemErrorMap } from 'node:util'

/** A file operation of a program, named after the system call. */
export interface FileCall {
  readonly name: string
  readonly path?: string | undefined
  /** The second path of a rename; for `chdir`, the new folder. */
  readonly target?: string | undefined
}

/** `reason` is a code such as `ENOSPC`, or the number of the error. */
export const createFileError = (reason: string | number, { name, path, target }: FileCall): Error => {
  const known = getSystemErrorMap()
  const errno = typeof reason === 'number' ? -reason : [...known].find(([, [code]]) => code === reason)?.[0]
  const [code, text] = known.get(errno ?? 0) ?? [`Unknown system error ${errno}`, 'unknown error']
  const places = [path, target].filter((place) => place !== undefined).map((place) => `'${place}'`)
  const message = [`${code}: ${text}, ${name}`, places.join(' -> ')].join(' ').trimEnd()
  const details = { errno, code, syscall: name, path, dest: target }
  return Object.assign(new Error(message), details)
}
