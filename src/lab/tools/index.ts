/** Public interface of the programs that Remedium finds or installs: Kubernetes clients, Ansible, Debian packages. */
export { findAnsiblePlaybook, missingAnsiblePackages } from './ansible.ts'
export { callProgram, installDebianPackages, mayInstall } from './debian.ts'
export { ensureKubectl } from './ensure-kubectl.ts'
export { ensureMachine } from './ensure-machine.ts'
export { findHelm } from './helm.ts'
export { findKubectls, type Kubectl, toolsFolder } from './kubectls.ts'
export { ensureSystemPackages, whyNoRealContainers } from './system-packages.ts'
