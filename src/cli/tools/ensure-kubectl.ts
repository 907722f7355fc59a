/** A kubectl for the shell of agents, installed on first use where that is allowed. */
import { installDebianPackages, mayInstall } from './debian.ts'
import { findKubectls } from './kubectls.ts'

/** Debian renamed the package. */
const PACKAGES = ['kubectl', 'kubernetes-client']

const newest = (root: string): string | undefined => findKubectls(root).at(-1)?.path

const install = (): void => {
  for (const name of PACKAGES)
    try {
      installDebianPackages([name])
      return
    } catch {
      // This release has it by another name, or not at all.
    }
}

/** Undefined where there is none: a shell without it is still a shell. */
export const ensureKubectl = (root: string, progress: (line: string) => void): string | undefined => {
  const found = newest(root)
  if (found !== undefined || !mayInstall()) return found
  progress('first use: installing kubectl from Debian ...')
  install()
  return newest(root)
}
