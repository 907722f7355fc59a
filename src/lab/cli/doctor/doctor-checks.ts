/** The checks of `remedium doctor`: each finds a requirement, or says how to install it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAnsiblePlaybook, findHelm, findKubectls, missingAnsiblePackages } from '#lab/tools'
import { absent, type Finding, firstLine, present } from './finding.ts'

export interface Check {
  /** The feature that requires it. */
  readonly requiredFor: 'everything' | 'runs and tests' | 'tests' | 'real containers'
  run(root: string): Finding | Promise<readonly Finding[]>
}

const checkNode = (): Finding => present('Node.js', `${process.versions.node} (${process.execPath})`)

const checkPackages = (root: string): Finding => {
  const installed = join(root, 'node_modules', '.remedium', 'package-lock.json')
  const isCurrent =
    existsSync(installed) &&
    readFileSync(installed, 'utf8') === readFileSync(join(root, 'package-lock.json'), 'utf8')
  return isCurrent
    ? present('npm packages', 'as in package-lock.json')
    : absent('npm packages', 'Run ./remedium to install them.')
}

const checkKubectl = (root: string): Finding => {
  const versions = findKubectls(root).map(({ version }) => version)
  return versions.length > 0
    ? present('kubectl', versions.join(', '))
    : absent(
        'kubectl',
        'On Debian, "./remedium run" as root installs one, and "./remedium test" installs three versions.',
      )
}

const checkAnsible = (): Finding => {
  const missing = missingAnsiblePackages()
  const path = findAnsiblePlaybook()
  return path === undefined || missing.length > 0
    ? absent(
        'ansible-playbook',
        `On Debian: apt-get install ${missing.join(' ')} (packages installed with pip are not visible in sandboxes)`,
      )
    : present('ansible-playbook', `${firstLine(path, '--version')} with kubernetes.core (${path})`)
}

const checkHelm = (root: string): Finding => {
  const path = findHelm(root)
  return path === undefined
    ? absent('helm', 'npm installs it on Linux x64; on other machines install helm 3.')
    : present('helm', `${firstLine(path, 'version', '--short')} (${path})`)
}

/** Imported on Linux only: the module does not load on other systems. */
const checkRealContainers = async (): Promise<Finding[]> => {
  if (process.platform !== 'linux')
    return [
      absent(
        'Linux',
        'Required for real containers; the engine sim works on other systems.',
      ),
    ]
  const { realContainerChecks } = await import('./real-container-checks.ts')
  return await realContainerChecks()
}

/** In the order of the output. */
export const DOCTOR_CHECKS: readonly Check[] = [
  { requiredFor: 'everything', run: checkNode },
  { requiredFor: 'everything', run: checkPackages },
  { requiredFor: 'runs and tests', run: checkKubectl },
  { requiredFor: 'runs and tests', run: checkAnsible },
  { requiredFor: 'tests', run: checkHelm },
  { requiredFor: 'real containers', run: checkRealContainers },
]
