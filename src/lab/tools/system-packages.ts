/** Installs the packages that real containers require on first use, if that is allowed. */
import { RemediumError, toRemediumError } from '#spec'
import { installDebianPackages, mayInstall } from './debian.ts'

/** Returns why real containers cannot run on this machine; undefined if they can. */
export const whyNoRealContainers = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux') return 'Real containers require Linux.'
  const { checkMachine } = await import('#platform/engines/local/machine')
  try {
    checkMachine()
    return undefined
  } catch (error) {
    const { message, hint } = toRemediumError(error)
    return [message, hint].join(' ')
  }
}

/** Does nothing if installing is not allowed; `checkMachine` then reports the missing packages. */
export const ensureSystemPackages = async (progress: (line: string) => void): Promise<void> => {
  if (process.platform !== 'linux') return
  // Imported here, because the module loads only on Linux.
  const { installCommand, missingPrograms } = await import('#platform/engines/local/machine')
  const missing = missingPrograms()
  if (missing.length === 0 || !mayInstall()) return
  const packages = [...new Set(missing.map(({ packageName }) => packageName))]
  progress(`first use: installing ${packages.join(', ')} from Debian ...`)
  try {
    installDebianPackages(packages)
  } catch (cause) {
    const { message } = cause as Error
    throw new RemediumError(
      'tool-failed',
      `The packages that real containers require cannot be installed (${message}).`,
      {
        hint: `Try again, or run: ${installCommand(missing)}`,
        cause,
      },
    )
  }
}
