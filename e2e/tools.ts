/** Finds the real clients for the end-to-end tests; a missing client fails the test that needs it. */
import { join } from 'node:path'
import { findAnsiblePlaybook, findHelm, findKubectls, type Kubectl, missingAnsiblePackages } from '#lab/tools'
import { RemediumError } from '#spec'

const ROOT = join(import.meta.dirname, '..')
const HINT =
  'Run "./remedium test" as root on Debian, which installs it, or install it yourself; "./remedium doctor" prints details.'

const missing = (what: string): RemediumError =>
  new RemediumError('tool-missing', `${what} is not on this machine.`, { hint: HINT })

let found: Kubectl[] | undefined

/** Every installed kubectl, oldest first: at least 1.20 of Debian and a newer one. */
export const kubectls = (): Kubectl[] => {
  found ??= findKubectls(ROOT)
  if (!found.some(({ version }) => version.startsWith('1.20.'))) throw missing('kubectl 1.20')
  if (found.length < 2) throw missing('A kubectl newer than 1.20')
  return found
}

/** The path of ansible-playbook, with kubernetes.core and its dependencies installed. */
export const ansiblePlaybook = (): string => {
  const path = findAnsiblePlaybook()
  const [lacking] = missingAnsiblePackages()
  if (path === undefined || lacking !== undefined) throw missing(lacking ?? 'ansible-playbook')
  return path
}

/** The path of helm 3. */
export const helm = (): string => {
  const path = findHelm(ROOT)
  if (path === undefined) throw missing('helm')
  return path
}
