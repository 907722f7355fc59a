/**
 * Starts a program as nobody, among processes that it alone sees: what Remedium has open, writes and knows is out of its reach,
 * and nothing that it starts outlives it.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { RemediumError } from '../../spec/index.ts'

export interface Apart {
  readonly command: readonly [string, ...string[]]
  readonly environment: NodeJS.ProcessEnv
  /** Takes its folder away. */
  forget(): void
}

const NOBODY = 65_534
/** Closes what the shell holds of the program's pipes, so that their end is seen as soon as the program closes them. */
const WAIT = 'exec 0<&- 1>&- 2>&- 3<&-; wait $!'
/** The first process of its namespace: with it all the others end. It stays root, so that the program cannot touch it. */
const FIRST = `mount -t proc proc /proc || exit 125
exec 3<&0
setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs -- "$@" <&3 3<&- & ${WAIT}`
/** Outside of it; whoever is killed here takes the first one along. */
const OUTER = `exec 3<&0
setpriv --pdeathsig KILL sh -c '${FIRST}' sh "$@" <&3 3<&- & ${WAIT}`

const toCommand = (path: string, args: readonly string[]): [string, ...string[]] => [
  ...(['setpriv', '--pdeathsig', 'KILL', 'unshare', '--pid', '--mount', '--ipc'] as const),
  ...['--', 'sh', '-c', OUTER, 'sh', path, ...args],
]

/** What it is stopped by on this machine, if anything. */
const findObstacle = (): string | undefined => {
  const [program, ...args] = toCommand('true', [])
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 10_000 })
  return status === 0 ? undefined : (error?.message ?? (stderr.trim() || `exit code ${status}`))
}

/** Whether everybody may pass through the folder and those above it. */
const isOpen = (folder: string): boolean => {
  try {
    return (statSync(folder).mode & 0o001) !== 0 && (folder === '/' || isOpen(dirname(folder)))
  } catch {
    return false
  }
}

/** Programs that only root gets at, such as those under its home, must not hide those that everybody has. */
const openPath = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && isOpen(folder))
    .join(delimiter)

/** One that only root gets at would be of no use to it. */
const folderForHomes = (): string => (isOpen(tmpdir()) ? tmpdir() : '/tmp')

let isPossible = false

/** Only root can start something as somebody else. */
export const canKeepApart = (): boolean => process.getuid?.() === 0

/** Throws where the machine does not let root do it. */
export const keepApart = (path: string, args: readonly string[]): Apart => {
  const obstacle = isPossible ? undefined : findObstacle()
  if (obstacle !== undefined)
    throw new RemediumError('tool-missing', `A program cannot be kept apart on this machine: ${obstacle}.`, {
      hint: 'Give --set external.user=root if you trust it, so that it runs as Remedium does.',
    })
  isPossible = true
  const home = mkdtempSync(join(folderForHomes(), 'remedium-agent-'))
  chownSync(home, NOBODY, NOBODY)
  return {
    command: toCommand(path, args),
    environment: {
      ...process.env,
      PATH: openPath(),
      HOME: home,
      TMPDIR: home,
      USER: 'nobody',
      LOGNAME: 'nobody',
    },
    forget: () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }),
  }
}
