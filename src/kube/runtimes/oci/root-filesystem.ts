/**
 * The root filesystem of a container: a folder of its own, with the host's system folders laid under it. All
 * mounts are made in the container's own mount namespace; the host has none of them.
 */
import { chmodSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeEtc } from './etc-files.ts'
import { PROGRAM_FOLDER } from './everyday-programs.ts'
import type { OciMount } from './oci-spec.ts'

const PLAIN = [
  ...['home', 'media', 'mnt', 'opt', 'srv', 'proc', 'sys', 'dev', 'run', 'var/log', 'var/lib', 'var/cache'],
  ...['var/spool', 'var/www'],
]
const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
/** Parts of /usr that are the host's own affair: programs that somebody put there by hand, sources. */
const OWN_LOCAL = ['bin', 'etc', 'include', 'lib', 'sbin', 'share']
const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

export interface RootFilesystem {
  /** The folder that becomes `/`. */
  path: string
  mounts: readonly OciMount[]
  /** The folders of the host that hold what the container writes. */
  writableFolders: readonly string[]
}

export interface RootOptions {
  /** Where it may be made; holds nothing yet. */
  folder: string
  /** The folder of the cluster. */
  clusterFolder: string
  readOnly: boolean
}

/** Nobody mounts an upper layer twice, so that nothing needs to be on the disk when the container ends. */
const volatileOption = (): string[] => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 10) ? ['volatile'] : []
}

const overlay = (name: string, { folder, readOnly }: RootOptions): { mount: OciMount; upper: string } => {
  const upper = join(folder, `${name}-upper`)
  const work = join(folder, `${name}-work`)
  mkdirSync(upper, { recursive: true })
  mkdirSync(work)
  const layers = [`lowerdir=/${name}`, `upperdir=${upper}`, `workdir=${work}`]
  const options = [...layers, ...volatileOption(), ...(readOnly ? ['ro'] : [])]
  return { mount: { destination: `/${name}`, type: 'overlay', source: 'overlay', options }, upper }
}

const bind = (destination: string, source: string, readOnly: boolean): OciMount => ({
  destination,
  type: 'bind',
  source,
  options: ['rbind', 'rprivate', readOnly ? 'ro' : 'rw'],
})

/** What lies below /usr on some machines and is none of a pod's business. */
const hiddenFolders = (clusterFolder: string): string[] =>
  ['/usr/src', REPOSITORY, clusterFolder].filter(
    (path) =>
      path.startsWith('/usr/') &&
      !path.startsWith('/usr/local/') &&
      lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  )

const makeFolders = (root: string): void => {
  for (const name of PLAIN) mkdirSync(join(root, name), { recursive: true })
  for (const [name, mode] of [
    ['tmp', 0o1777],
    ['var/tmp', 0o1777],
    ['root', 0o700],
  ] as const) {
    mkdirSync(join(root, name))
    chmodSync(join(root, name), mode)
  }
  symlinkSync('/run', join(root, 'var/run'))
}

export const makeRootFilesystem = (options: RootOptions): RootFilesystem => {
  const { folder, readOnly, clusterFolder } = options
  const path = join(folder, 'root')
  const mounts: OciMount[] = []
  const writableFolders = [path]
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o755)
  makeFolders(path)
  for (const name of SYSTEM) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) symlinkSync(readlinkSync(`/${name}`), join(path, name))
    if (found?.isDirectory() !== true) continue
    const { mount, upper } = overlay(name, options)
    mounts.push(mount)
    writableFolders.push(upper)
  }
  const local = join(folder, 'local')
  for (const name of OWN_LOCAL) mkdirSync(join(local, name), { recursive: true })
  mounts.push(bind('/usr/local', local, readOnly))
  writableFolders.push(local)
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  for (const hidden of hiddenFolders(clusterFolder)) mounts.push(bind(hidden, empty, true))
  mounts.push(...makeEtc(path), bind(`${PROGRAM_FOLDER}/bin/node`, process.execPath, true))
  return { path, mounts, writableFolders }
}
