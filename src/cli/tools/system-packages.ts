/** The packages that live containers need, installed on first use where that is allowed. */
import { RemediumError, toRemediumError } from '../../spec/index.ts'
import { installDebianPackages, mayInstall } from './debian.ts'

/** What still keeps live containers from running on this machine, and how to get it; nothing where all is well. */
export const whyNoLiveContainers = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux') return 'Live containers need Linux.'
  const { checkMachine } = await import('../../engines/local/machine/index.ts')
  try {
    checkMachine()
    return undefined
  } catch (error) {
    const { message, hint } = toRemediumError(error)
    return [message, hint].join(' ')
  }
}

/** Does nothing where it may not: whoever needs the programs says then what is missing. */
export const ensureSystemPackages = async (progress: (line: string) => void): Promise<void> => {
  // Not above: it loads what only Linux has.
  if (process.platform !== 'linux') return
  const { installCommand, missingPrograms } = await import('../../engines/local/machine/index.ts')
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
      `The packages that live containers need cannot be had (${message}).`,
      {
        hint: `Try again, or run: ${installCommand(missing)}`,
        cause,
      },
    )
  }
}
