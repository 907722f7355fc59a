/** What Remedium needs of a machine: each check says what is here, or how to get it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { absent, type Finding, firstLine, present } from './finding.ts'
import { findAnsiblePlaybook, missingAnsiblePackages } from './tools/ansible.ts'
import { findHelm } from './tools/helm.ts'
import { findKubectls } from './tools/kubectls.ts'

export interface Check {
  /** What works only with it. */
  readonly neededFor: 'everything' | 'runs and tests' | 'tests' | 'live containers'
  run(root: string): Finding | Promise<readonly Finding[]>
}

const checkNode = (): Finding => present('Node.js', `${process.versions.node} (${process.execPath})`)

const checkPackages = (root: string): Finding => {
  const installed = join(root, 'node_modules', '.remedium', 'package-lock.json')
  const fresh =
    existsSync(installed) &&
    readFileSync(installed, 'utf8') === readFileSync(join(root, 'package-lock.json'), 'utf8')
  return fresh
    ? present('npm packages', 'as package-lock.json lists them')
    : absent('npm packages', 'Run ./remedium, which installs them.')
}

const checkKubectl = (root: string): Finding => {
  const versions = findKubectls(root).map(({ version }) => version)
  return versions.length > 0
    ? present('kubectl', versions.join(', '))
    : absent(
        'kubectl',
        'On Debian as root "./remedium run" installs one, and "./remedium test" fetches three versions.',
      )
}

const checkAnsible = (): Finding => {
  const missing = missingAnsiblePackages()
  const path = findAnsiblePlaybook()
  return path === undefined || missing.length > 0
    ? absent(
        'ansible-playbook',
        `On Debian: apt-get install ${missing.join(' ')} (sandboxes do not see what pip installed)`,
      )
    : present('ansible-playbook', `${firstLine(path, '--version')} with kubernetes.core (${path})`)
}

const checkHelm = (root: string): Finding => {
  const path = findHelm(root)
  return path === undefined
    ? absent('helm', 'npm brings it on Linux x64; elsewhere install helm 3.')
    : present('helm', `${firstLine(path, 'version', '--short')} (${path})`)
}

/** Apart from those that need Linux to be looked for. */
const checkLiveContainers = async (): Promise<Finding[]> => {
  if (process.platform !== 'linux')
    return [absent('Linux', 'Live containers need it; "remedium cluster up --engine sim" does not.')]
  const { liveContainerChecks } = await import('./live-container-checks.ts')
  return await liveContainerChecks()
}

/** In the order in which they are shown. */
export const DOCTOR_CHECKS: readonly Check[] = [
  { neededFor: 'everything', run: checkNode },
  { neededFor: 'everything', run: checkPackages },
  { neededFor: 'runs and tests', run: checkKubectl },
  { neededFor: 'runs and tests', run: checkAnsible },
  { neededFor: 'tests', run: checkHelm },
  { neededFor: 'live containers', run: checkLiveContainers },
]
