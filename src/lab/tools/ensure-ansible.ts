/** Installs Ansible and its Kubernetes modules on first use, if that is allowed. */
import { RemediumError } from '#spec'
import { missingAnsiblePackages } from './ansible.ts'
import { installDebianPackages, mayInstall } from './debian.ts'

const toMissingError = (packages: readonly string[], cause?: unknown): RemediumError =>
  new RemediumError(
    'tool-missing',
    'Playbooks require Ansible and its Kubernetes modules in /usr; /usr/local is not visible in a sandbox.',
    {
      hint: `On Debian: apt-get install ${packages.join(' ')}`,
      cause,
    },
  )

/** Throws if a package is missing and cannot be installed. */
export const ensureAnsible = (progress: (line: string) => void): void => {
  const missing = missingAnsiblePackages()
  if (missing.length === 0) return
  if (!mayInstall()) throw toMissingError(missing)
  progress(`first use: installing ${missing.join(', ')} from Debian ...`)
  try {
    installDebianPackages(missing)
  } catch (cause) {
    throw toMissingError(missing, cause)
  }
}
