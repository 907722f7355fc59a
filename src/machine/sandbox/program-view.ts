/** Builds the mounts that make files of this machine visible to an isolated program. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { OciMount } from '#machine/oci'
import { toResolverFile } from './name-relay.ts'
import { bindMount, MAX_TEMPORARY_FILES, SANDBOX_USER } from './sandbox-spec.ts'

export interface ProgramView {
  /** The working directory; it need not be visible. */
  readonly folder: string
  /** Files and folders of the machine that the program can read, at the same paths. */
  readonly visible: readonly string[]
  /** Folders that stay hidden, even inside visible ones. */
  readonly hidden: readonly string[]
  /** A folder of the machine that the program can write to. */
  readonly memory?: string | undefined
}

/** Folders in the view of the program. */
export const PROGRAM_FOLDERS = { home: '/home/agent', temporary: '/tmp', memory: '/memory' }

/** Programs and settings of the machine. Folders on a separate mount must be listed on their own. */
const SYSTEM_FOLDERS = [
  ...['/usr', '/usr/local', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt'],
  ...['/nix/store', '/gnu/store'],
]
/** Options of the empty mount over a hidden folder, or at a working directory that is not visible. */
const EMPTY_OPTIONS = ['nosuid', 'nodev', 'noexec', 'mode=0755', 'size=1m']

/** Whether `path` is `folder` or lies in it. */
export const isInside = (path: string, folder: string): boolean => {
  const rest = relative(folder, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !rest.startsWith(sep))
}

/** Whether the machine's system folders contain the path. */
export const isSystemPath = (path: string): boolean => SYSTEM_FOLDERS.some((folder) => isInside(path, folder))

const depthOf = ({ destination }: OciMount): number => destination.split('/').length

const temporaryMount = (destination: string, bytes: number, ...options: string[]): OciMount => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', 'nodev', `size=${bytes}`, `nr_inodes=${MAX_TEMPORARY_FILES}`, ...options],
})

const emptyMount = (destination: string): OciMount => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: EMPTY_OPTIONS,
})

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Returns the mounts of the visible and hidden paths, outer paths first. */
const visibilityMounts = ({ folder, visible, hidden }: ProgramView): OciMount[] => {
  const readable = [...SYSTEM_FOLDERS.filter(isFolder), ...visible]
  const isReadable = (path: string): boolean => readable.some((outer) => isInside(path, outer))
  const isHidden = (path: string): boolean => hidden.some((outer) => isInside(path, outer))
  const needsEmptyFolder =
    folder !== '/' && (!isReadable(folder) || isHidden(folder)) && !visible.includes(folder)
  return [
    ...visible.map((path) => bindMount(path, path, 'ro')),
    ...hidden.filter((path) => isReadable(path) && isFolder(path) && path !== folder).map(emptyMount),
    ...(needsEmptyFolder ? [emptyMount(folder)] : []),
  ].toSorted((a, b) => depthOf(a) - depthOf(b))
}

/** Creates the root filesystem at `root`: only mount points and links. */
export const createProgramRoot = (root: string): void => {
  const mask = process.umask(0o022)
  try {
    for (const path of ['proc', 'dev', 'run', 'var', 'home']) mkdirSync(join(root, path), { recursive: true })
    for (const path of Object.values(PROGRAM_FOLDERS)) mkdirSync(join(root, path), { recursive: true })
    // The runtime program gives a mounted folder the mode of its mount point.
    chmodSync(join(root, PROGRAM_FOLDERS.temporary), 0o1777)
    chmodSync(join(root, PROGRAM_FOLDERS.home), 0o700)
    symlinkSync(PROGRAM_FOLDERS.temporary, join(root, 'var/tmp'))
    for (const path of SYSTEM_FOLDERS) {
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found?.isSymbolicLink() === true) symlinkSync(readlinkSync(path), join(root, path))
      else if (found?.isDirectory() === true) mkdirSync(join(root, path), { recursive: true })
    }
    writeFileSync(`${root}.resolv.conf`, toResolverFile())
  } finally {
    process.umask(mask)
  }
}

/** The resolver file may be a link to a file that is not visible. */
const resolverMount = (root: string): OciMount[] => {
  const path = '/etc/resolv.conf'
  const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (!existsSync(path) && !link) return []
  const destination = link ? resolve(dirname(path), readlinkSync(path)) : path
  return [bindMount(`${root}.resolv.conf`, destination, 'ro')]
}

/** Returns all mounts of files and folders. `bytes` limits the home and the temporary folder. */
export const viewMounts = (root: string, view: ProgramView, bytes: number): OciMount[] => [
  ...SYSTEM_FOLDERS.filter(isFolder).map((path) => bindMount(path, path, 'ro')),
  ...resolverMount(root),
  temporaryMount(PROGRAM_FOLDERS.temporary, bytes, 'mode=1777'),
  temporaryMount(PROGRAM_FOLDERS.home, bytes, 'mode=0700', `uid=${SANDBOX_USER}`, `gid=${SANDBOX_USER}`),
  ...visibilityMounts(view),
  ...(view.memory === undefined ? [] : [bindMount(view.memory, PROGRAM_FOLDERS.memory)]),
]
