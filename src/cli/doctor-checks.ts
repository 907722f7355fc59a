/** What Remedium needs of a machine: each check says what is here, or how to get it. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '../kit/index.ts'
import { findAnsiblePlaybook, missingAnsiblePackages } from './tools/ansible.ts'
import { findHelm } from './tools/helm.ts'
import { findKubectls } from './tools/kubectls.ts'

export interface Finding {
  readonly name: string
  readonly present: boolean
  /** What was found, such as a version and a path. */
  readonly found?: string
  /** How to get what is missing. */
  readonly remedy?: string
}

export interface Check {
  /** What works only with it. */
  readonly neededFor: 'everything' | 'tests' | 'live containers'
  run(root: string): Finding
}

const firstLine = (path: string, ...args: string[]): string =>
  spawnSync(path, args, { encoding: 'utf8' }).stdout?.split('\n')[0]?.trim() ?? ''

const present = (name: string, found: string): Finding => ({ name, present: true, found })
const absent = (name: string, remedy: string): Finding => ({ name, present: false, remedy })

const program = (name: string, args: string[], remedy: string): Finding => {
  const path = findExecutable(name)
  return path === undefined ? absent(name, remedy) : present(name, `${firstLine(path, ...args)} (${path})`)
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
        'Run "./remedium test" as root on Debian, which fetches three versions, or install one.',
      )
}

const checkAnsible = (): Finding => {
  const missing = missingAnsiblePackages()
  const path = findAnsiblePlaybook()
  return path === undefined || missing.length > 0
    ? absent('ansible-playbook', `On Debian: apt-get install ${missing.join(' ')}`)
    : present('ansible-playbook', `${firstLine(path, '--version')} with kubernetes.core (${path})`)
}

const checkHelm = (root: string): Finding => {
  const path = findHelm(root)
  return path === undefined
    ? absent('helm', 'npm brings it on Linux x64; elsewhere install helm 3.')
    : present('helm', `${firstLine(path, 'version', '--short')} (${path})`)
}

const checkRoot = (): Finding =>
  process.getuid?.() === 0
    ? present('root', 'this user is root')
    : absent('root', 'Run Remedium as root, which namespaces, cgroups and firewall rules need.')

const checkFirewall = (): Finding => {
  const name = ['nft', 'iptables'].find((each) => findExecutable(each) !== undefined)
  return name === undefined
    ? absent('nft or iptables', 'On Debian: apt-get install nftables')
    : program(name, ['--version'], '')
}

const checkCgroups = (): Finding => {
  const unified = '/sys/fs/cgroup/cgroup.controllers'
  if (existsSync(unified)) return present('cgroups', `version 2: ${readFileSync(unified, 'utf8').trim()}`)
  return existsSync('/sys/fs/cgroup/memory') && existsSync('/sys/fs/cgroup/cpu')
    ? present('cgroups', 'version 1: cpu and memory')
    : absent('cgroups', 'Mount the cgroup file system with the cpu and memory controllers.')
}

/** In the order in which they are shown. */
export const DOCTOR_CHECKS: readonly Check[] = [
  { neededFor: 'everything', run: checkNode },
  { neededFor: 'everything', run: checkPackages },
  { neededFor: 'tests', run: checkKubectl },
  { neededFor: 'tests', run: checkAnsible },
  { neededFor: 'tests', run: checkHelm },
  { neededFor: 'live containers', run: checkRoot },
  {
    neededFor: 'live containers',
    run: () => program('runc', ['--version'], 'On Debian: apt-get install runc'),
  },
  { neededFor: 'live containers', run: () => program('ip', ['-V'], 'On Debian: apt-get install iproute2') },
  { neededFor: 'live containers', run: checkFirewall },
  { neededFor: 'live containers', run: checkCgroups },
]
