/** Ansible with its Kubernetes modules, installed on first use where that is allowed. */
import { RemediumError } from '../../spec/index.ts'
import { missingAnsiblePackages } from './ansible.ts'
import { installDebianPackages, mayInstall } from './debian.ts'

const toMissing = (packages: readonly string[], cause?: unknown): RemediumError =>
  new RemediumError(
    'tool-missing',
    'Playbooks need Ansible and its Kubernetes modules, which are not in /usr; a sandbox does not see /usr/local.',
    {
      hint: `On Debian: apt-get install ${packages.join(' ')}`,
      cause,
    },
  )

/** Throws where it is not here and cannot be had. */
export const ensureAnsible = (progress: (line: string) => void): void => {
  const missing = missingAnsiblePackages()
  if (missing.length === 0) return
  if (!mayInstall()) throw toMissing(missing)
  progress(`first use: installing ${missing.join(', ')} from Debian ...`)
  try {
    installDebianPackages(missing)
  } catch (cause) {
    throw toMissing(missing, cause)
  }
}
