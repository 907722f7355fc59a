/** Lists the mounts of a process, with the folders of this machine that contain them. */
import { readFileSync } from 'node:fs'

/** Columns of /proc/PID/mountinfo before the separator. */
const [PATH, OPTIONS] = [4, 5]

export interface Mount {
  /** In the container. */
  readonly path: string
  readonly type: string
  /** The folder on this machine that contains the changes. */
  readonly folder: string
  /** The folders on this machine that contain the image of an overlay; the first one has precedence. */
  readonly imageFolders: readonly string[]
  readonly isReadOnly: boolean
}

const toPath = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))

/** An overlay is read by its upper layer, which contains only what the container changed. */
const toMount = (pid: number, line: string): Mount => {
  const [own, filesystem] = line.split(' - ') as [string, string]
  const fields = own.split(' ')
  const [type = '', , superOptions = ''] = filesystem.split(' ')
  const path = toPath(fields[PATH] ?? '')
  const isOverlay = type === 'overlay'
  const upper = isOverlay ? /(?:^|,)upperdir=([^,]+)/.exec(superOptions)?.[1] : undefined
  const lower = isOverlay ? superOptions.matchAll(/(?:^|,)lowerdir\+?=([^,]+)/g) : []
  return {
    path,
    type,
    folder: upper === undefined ? `/proc/${pid}/root${path}` : toPath(upper),
    imageFolders: [...lower].flatMap(([, folders = '']) => folders.split(':').map(toPath)),
    isReadOnly: [fields[OPTIONS], superOptions].some((options) => options?.split(',').includes('ro')),
  }
}

export const listMounts = (pid: number): Mount[] =>
  readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => toMount(pid, line))
