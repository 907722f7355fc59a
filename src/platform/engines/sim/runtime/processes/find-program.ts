/** Finds the program of a command in an image. */
import { posix } from 'node:path'
import type { SimulatedProgram } from '#spec'
import type { ProgramImage } from '../program-runtime-options.ts'

export type Programs = Readonly<Record<string, SimulatedProgram>>

/** The folders of everyday programs. */
const SYSTEM_FOLDERS = new Set([
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
])

const findOwn = (programs: Programs, name: string): SimulatedProgram | undefined =>
  Object.hasOwn(programs, name) ? programs[name] : undefined

const byBaseName = (programs: Programs): Programs =>
  Object.fromEntries(Object.entries(programs).map(([path, program]) => [posix.basename(path), program]))

/** All containers of an image share its names. */
const baseNames = new WeakMap<Programs, Programs>()

const baseNamesOf = (programs: Programs): Programs => {
  const existing = baseNames.get(programs)
  if (existing !== undefined) return existing
  const names = byBaseName(programs)
  baseNames.set(programs, names)
  return names
}

/** `name` is a path or the name of a program. Relative paths start at `folder`. */
export const findProgram = (
  { programs = {}, isBare = false }: ProgramImage,
  everydayPrograms: Programs,
  name: string,
  folder: string,
): SimulatedProgram | undefined => {
  const everyday = isBare ? {} : everydayPrograms
  if (!name.includes('/')) return findOwn(baseNamesOf(programs), name) ?? findOwn(everyday, name)
  const path = posix.resolve('/', folder, name)
  const own = findOwn(programs, path)
  if (own !== undefined || !SYSTEM_FOLDERS.has(posix.dirname(path))) return own
  return findOwn(everyday, posix.basename(path))
}

/** The message of the OCI runtime for a program that does not exist. */
export const missingProgramText = (name: string): string => {
  const reason = name.includes('/')
    ? `stat ${name}: no such file or directory`
    : 'executable file not found in $PATH'
  return `unable to start container process: exec: ${JSON.stringify(name)}: ${reason}`
}
