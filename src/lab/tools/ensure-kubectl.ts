/** Installs a kubectl for the shell of agents on first use, if that is allowed. */
import { installDebianPackages, mayInstall } from './debian.ts'
import { findKubectls } from './kubectls.ts'

/** Debian renamed the package after bookworm. */
const PACKAGES = ['kubectl', 'kubernetes-client']

const findNewest = (root: string): string | undefined => findKubectls(root).at(-1)?.path

const installKubectl = (): void => {
  for (const name of PACKAGES)
    try {
      installDebianPackages([name])
      return
    } catch {
      // This release of Debian has no package with this name.
    }
}

/** Returns the path of kubectl, or undefined: a shell without kubectl is still useful. */
export const ensureKubectl = (root: string, progress: (line: string) => void): string | undefined => {
  const found = findNewest(root)
  if (found !== undefined || !mayInstall()) return found
  progress('first use: installing kubectl from Debian ...')
  installKubectl()
  return findNewest(root)
}
