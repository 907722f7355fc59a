/** Finds the real clients for the end-to-end tests; a missing client fails the test that needs it. */
import { join } from 'node:path'
import { findAnsiblePlaybook, findHelm, findKubectls, type Kubectl, missingAnsiblePackages } from '#lab/tools'
import { RemediumError } from '#spec'

const ROOT = join(import.meta.dirname, '..')
const HINT =
  'Run "./remedium test" as root on Debian, which installs it, or install it yourself; "./remedium doctor" prints details.'

const missingToolError = (what: string): RemediumError =>
  new RemediumError('tool-missing', `${what} is not on this machine.`, { hint: HINT })

let installed: Kubectl[] | undefined

/** Every installed kubectl, oldest first: at least 1.20, from Debian, and a newer one. */
export const kubectls = (): Kubectl[] => {
  installed ??= findKubectls(ROOT)
  if (!installed.some(({ version }) => version.startsWith('1.20.'))) throw missingToolError('kubectl 1.20')
  if (installed.length < 2) throw missingToolError('A kubectl newer than 1.20')
  return installed
}

/** The path of ansible-playbook, if kubernetes.core and its dependencies are installed too. */
export const ansiblePlaybook = (): string => {
  const path = findAnsiblePlaybook()
  const [missingPackage] = missingAnsiblePackages()
  if (path === undefined || missingPackage !== undefined)
    throw missingToolError(missingPackage ?? 'ansible-playbook')
  return path
}

/** The path of helm 3. */
export const helm = (): string => {
  const path = findHelm(ROOT)
  if (path === undefined) throw missingToolError('helm')
  return path
}
