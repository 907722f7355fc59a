/** The real clients that the end-to-end tests drive; a client that is missing fails the test that asks for it. */
import { join } from 'node:path'
import {
  findAnsiblePlaybook,
  findHelm,
  findKubectls,
  type Kubectl,
  missingAnsiblePackages,
} from '../src/cli/index.ts'
import { RemediumError } from '../src/spec/index.ts'

const ROOT = join(import.meta.dirname, '..')
const HINT =
  'Run "./remedium test" as root on Debian, which fetches it, or install it; "./remedium doctor" says more.'

const missing = (what: string): RemediumError =>
  new RemediumError('tool-missing', `${what} is not on this machine.`, { hint: HINT })

let found: Kubectl[] | undefined

/** Every kubectl to be had, oldest first: at least Debian's 1.20 and one newer. */
export const kubectls = (): Kubectl[] => {
  found ??= findKubectls(ROOT)
  if (!found.some(({ version }) => version.startsWith('1.20.'))) throw missing('kubectl 1.20')
  if (found.length < 2) throw missing('A kubectl newer than 1.20')
  return found
}

/** The path of ansible-playbook, with kubernetes.core and what it imports in place. */
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
